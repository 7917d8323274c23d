import {
  dateTimeSchema,
  OPTIONAL_TIME,
  orNull,
  textSchema,
  timestampSchema,
} from '@agent-fleet/shared/contract/fields';
import { z } from 'zod';
import { toTime } from '../tasks/rules/task-state.ts';

/** Providers of models, with the types of agents and the labels of workers whose tasks call them. */
const PROVIDERS = {
  anthropic: { type: 'claude', label: 'runtime:claude-code' },
  openai: { type: 'gpt', label: 'runtime:codex' },
  google: { type: 'gemini', label: 'runtime:gemini' },
} as const;

const provider = z.enum(['anthropic', 'openai', 'google'], 'must be anthropic, openai or google');
const reason = orNull(textSchema(1, 200)).default(null);
const until = dateTimeSchema
  .transform((text) => new Date(text).toISOString())
  .meta({ type: 'string', format: 'date-time' });

/** What a worker that asks for tasks says of the time when it takes none. */
export const pauseFields = {
  paused: z
    .array(z.strictObject({ provider, until, reason }).meta({ id: 'ProviderPauseInput' }))
    .max(3, 'must have at most 3 providers')
    .default([])
    .meta({
      description:
        'Providers that take no calls of the worker until a time. Until then it gets no task of their type of agents (`anthropic` claude, `openai` gpt, `google` gemini), nor one whose definition has their runtime.',
    }),
  paused_until: timestampSchema.meta({
    ...OPTIONAL_TIME,
    description: 'Without `paused`: the worker gets no task at all until then.',
  }),
  pause_reason: reason,
};

export const servedPauseSchema = z
  .strictObject({
    provider: z.string().nullable().meta({ description: 'Null: it takes no tasks at all.' }),
    until: z.iso.datetime(),
    reason: z.string().nullable(),
  })
  .meta({ id: 'WorkerPause' });

export type Pause = z.output<typeof servedPauseSchema>;

type Given = z.output<z.ZodObject<typeof pauseFields>>;

/** The pauses that last at `now`, in ms. */
export function pausesOf({ paused, paused_until, pause_reason }: Given, now: number): Pause[] {
  const isAll = paused.length === 0 && paused_until;
  const all = isAll ? [{ provider: null, until: paused_until, reason: pause_reason }] : paused;
  return lasting(all, now);
}

export function lasting(pauses: readonly Pause[], now: number): Pause[] {
  return pauses.filter(({ until }) => until > toTime(now));
}

/** The types and labels of which a worker with these pauses takes no tasks. */
export function closedBy(pauses: readonly Pause[]) {
  const closed = pauses.flatMap(({ provider: name }) =>
    name === null ? [] : [PROVIDERS[name as keyof typeof PROVIDERS]],
  );
  return {
    all: pauses.some(({ provider: name }) => name === null),
    types: new Set<string>(closed.map(({ type }) => type)),
    labels: new Set<string>(closed.map(({ label }) => label)),
  };
}
