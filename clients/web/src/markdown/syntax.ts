import type { gfmTable } from 'micromark-extension-gfm-table';

export type Extension = ReturnType<typeof gfmTable>;

type Constructs = Extract<NonNullable<Extension['text']>[string], readonly unknown[]>;
/** What a parser tries at a character. */
export type Construct = Constructs[number];
export type TokenizeContext = ThisParameterType<Construct['tokenize']>;
export type State = Exclude<ReturnType<Construct['tokenize']>, undefined>;
export type Code = Parameters<State>[0];
