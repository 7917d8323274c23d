import type { Code, Construct, Extension, State, TokenizeContext } from './syntax.ts';

/** Quotes and lists within each other. */
const MAX_CONTAINERS = 32;
/** `*`, `_` and `~` in one paragraph, and other marks: what matches and merges them is quadratic. */
const MAX_ATTENTION = 1_500;
const MAX_MARKS = 3_000;

const LINE_ENDINGS = [-5, -4, -3];

class TooComplexError extends Error {}

/**
 * A syntax extension that adds no syntax. It is asked before all others, at each line and mark, and ends the parsing of
 * a hostile text by a `TooComplexError`: many constructs of micromark take quadratic time, and deep ones all the stack.
 */
export function guard(isTimeUp: () => boolean): Extension {
  function checkTime(): void {
    if (isTimeUp()) throw new TooComplexError('Takes too long');
  }
  const time = construct(checkTime);
  return {
    document: keyed(codes('>*+-0123456789['), containers(checkTime)),
    contentInitial: keyed(codes('['), time),
    flow: { ...keyed(codes('#*-<=_`~|'), time), null: time },
    string: keyed(codes('&\\'), time),
    text: {
      ...keyed(LINE_ENDINGS, time),
      ...keyed(codes('!&<[\\]'), marks(checkTime)),
      ...keyed(codes('*_~'), attention(checkTime)),
    },
  };
}

/** A construct that looks, and never matches. */
function construct(look: (context: TokenizeContext) => void): Construct {
  return {
    tokenize(_effects, _ok, nok) {
      look(this);
      return nok;
    },
  };
}

/** Containers open from left to right, and each is checked before it is attempted: two calls in a line for each. */
function containers(checkTime: () => void): Construct {
  let line = 0;
  let calls = 0;
  return construct((context) => {
    checkTime();
    const now = context.now().line;
    calls = now === line ? calls + 1 : 1;
    line = now;
    if (calls > 2 * MAX_CONTAINERS) throw new TooComplexError('Too many containers');
  });
}

function marks(checkTime: () => void): Construct {
  const counts = new WeakMap<TokenizeContext, number>();
  return construct((context) => {
    checkTime();
    const count = (counts.get(context) ?? 0) + 1;
    if (count > MAX_MARKS) throw new TooComplexError('Too many marks');
    counts.set(context, count);
  });
}

function attention(checkTime: () => void): Construct {
  const counts = new WeakMap<TokenizeContext, number>();
  return {
    tokenize(effects, _ok, nok) {
      checkTime();
      let count = counts.get(this) ?? 0;
      let marker: Code = null;
      const next: State = (code) => {
        marker ??= code;
        if (code === null || code !== marker) {
          counts.set(this, count);
          return nok(code);
        }
        count += 1;
        if (count > MAX_ATTENTION) throw new TooComplexError('Too many marks of emphasis');
        effects.consume(code);
        return next;
      };
      return next;
    },
  };
}

function keyed(keys: number[], value: Construct): Record<number, Construct> {
  return Object.fromEntries(keys.map((key) => [key, value]));
}

function codes(characters: string): number[] {
  return [...characters].map((character) => character.charCodeAt(0));
}
