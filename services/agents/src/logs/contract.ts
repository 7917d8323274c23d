import { anyTextSchema, OPTIONAL_TIME, timestampSchema } from '@agent-fleet/shared/contract/fields';
import { defineOperation, type HeaderDoc } from '@agent-fleet/shared/contract/operation';
import { limitParameter, queryInteger } from '@agent-fleet/shared/contract/paging';
import { z } from 'zod';
import { STREAMS, tooManyOpenDoc } from '../contract/callers.ts';
import { AGENT_NOT_FOUND, TASK_NOT_FOUND, taskParams } from '../contract/parameters.ts';
import { LEASE_LOST, LEASE_NOT_FOUND, LEASE_TOKEN_EXAMPLE, leaseParams, tokenSchema } from '../leases/contract.ts';

const MIB = 1024 * 1024;
/** Less than a hundred of the largest entries: a gateway accepts no larger bodies. */
const BODY_BYTES = 1.5 * MIB;
const MAX_TEXT_BYTES = 16_384;

const LEVELS = ['debug', 'info', 'warn', 'error'] as const;
const STREAM_NAMES = ['stdout', 'stderr', 'agent', 'system'] as const;

const EXAMPLE = {
  id: 1,
  at: '2026-11-21T09:31:04.000Z',
  level: 'info',
  stream: 'stdout',
  text: 'Read 214 commits',
} as const;

const entryInputSchema = z
  .strictObject({
    at: timestampSchema.meta({ ...OPTIONAL_TIME, description: 'Default: now.' }),
    level: z.enum(LEVELS, `must be one of ${LEVELS.join(', ')}`).default('info'),
    stream: z.enum(STREAM_NAMES, `must be one of ${STREAM_NAMES.join(', ')}`).nullish(),
    text: anyTextSchema
      .refine((text) => Buffer.byteLength(text) <= MAX_TEXT_BYTES, `must not be larger than ${MAX_TEXT_BYTES} bytes`)
      .meta({ description: 'At most 16 KiB as UTF-8. May be empty. A lone surrogate becomes U+FFFD.' }),
  })
  .meta({ id: 'LogEntryInput' });

export type LogEntryInput = z.output<typeof entryInputSchema>;

/** A served log entry. */
const entrySchema = z
  .strictObject({
    id: z.int().meta({ description: 'Number of the entry in its task, from 1, without gaps.' }),
    at: z.iso.datetime(),
    level: z.enum(LEVELS),
    stream: z.enum(STREAM_NAMES).nullable(),
    text: z.string(),
  })
  .meta({ id: 'LogEntry' });

export type LogEntry = z.output<typeof entrySchema>;

export const addLogEntries = defineOperation({
  id: 'addLogEntries',
  method: 'post',
  path: '/leases/{lease_id}/log-entries',
  tag: 'Leases',
  scope: 'leases:write',
  summary: 'Add entries to the log of a task',
  description:
    'A task keeps its last 10,000 entries, and at most 5 MiB of text. Entries are added in order; after an error, some of many large ones may have been added. The body may have 1.5 MiB.',
  params: leaseParams,
  body: {
    schema: z
      .strictObject({
        token: tokenSchema,
        entries: z
          .array(entryInputSchema, 'must be a list')
          .min(1, 'must have at least one entry')
          .max(100, 'must have at most 100 entries'),
      })
      .meta({ id: 'LogEntriesInput' }),
    example: {
      token: LEASE_TOKEN_EXAMPLE,
      entries: [
        { stream: EXAMPLE.stream, text: EXAMPLE.text },
        { level: 'warn', text: 'One commit has no message' },
      ],
    },
    maxBytes: BODY_BYTES,
  },
  responses: { 204: { description: 'The entries are stored.' } },
  errors: [LEASE_NOT_FOUND, LEASE_LOST],
});

const LAST_EVENT_ID: Record<string, HeaderDoc> = {
  'Last-Event-ID': {
    description: 'Resumes a stream after this entry.',
    schema: { type: 'string', example: '17' },
  },
};

export const listLogEntries = defineOperation({
  id: 'listLogEntries',
  method: 'get',
  path: '/agents/{agent_id}/tasks/{task_id}/log-entries',
  tag: 'Tasks',
  scope: 'tasks:read',
  summary: 'List or stream the log of a task',
  description:
    'Returns a JSON array, or with `Accept: text/event-stream` a stream of Server-Sent Events that starts with the past entries and closes after the task ends, with a comment every 15 s. If entries were dropped, the first one says so. A page of large entries may have fewer than `limit`; its `Link` continues.',
  params: taskParams,
  query: z.object({
    after: queryInteger({
      min: 0,
      max: Number.MAX_SAFE_INTEGER,
      description: 'Only entries after the one with this id.',
    }),
    tail: queryInteger({
      min: 0,
      max: 1000,
      description: 'Begins with the last entries, at most so many, unless `after` or `Last-Event-ID` is given.',
    }),
    limit: limitParameter,
  }),
  requestHeaders: LAST_EVENT_ID,
  responses: {
    200: {
      description: 'The entries, oldest first.',
      schema: z.array(entrySchema),
      stream: 'Each entry as `id:`, `event: log` and `data:` (its JSON).',
      headers: {
        Link: { description: '`rel="next"` if more entries may follow.', schema: { type: 'string' } },
      },
      example: [EXAMPLE],
    },
  },
  errors: [AGENT_NOT_FOUND, TASK_NOT_FOUND, tooManyOpenDoc(STREAMS)],
});
