import { anyTextSchema, OPTIONAL_TIME, textSchema, timestampSchema } from '@agent-fleet/shared/contract/fields';
import { defineOperation, type HeaderDoc, RETRY_AFTER } from '@agent-fleet/shared/contract/operation';
import { limitParameter, queryInteger } from '@agent-fleet/shared/contract/paging';
import { z } from 'zod';
import { STREAMS, tooManyOpenDoc } from '../contract/callers.ts';
import { objectSchema } from '../contract/fields.ts';
import { LEASE_LOST, LEASE_NOT_FOUND, LEASE_TOKEN_EXAMPLE, leaseParams, tokenSchema } from '../contract/leases.ts';
import { AGENT_NOT_FOUND, TASK_NOT_FOUND, taskParams } from '../contract/parameters.ts';

const MIB = 1024 * 1024;
/** Less than a hundred of the largest entries: a gateway accepts no larger bodies. */
const BODY_BYTES = 1.5 * MIB;
const MAX_TEXT_BYTES = 16_384;
const MAX_DATA_BYTES = 16_384;
/** Of a tool's input and a diff, with what is beside them. */
const MAX_LARGE_DATA_BYTES = 65_536;

const LEVELS = ['debug', 'info', 'warn', 'error'] as const;
const STREAM_NAMES = ['stdout', 'stderr', 'agent', 'system'] as const;

/** What a worker writes. */
const WORKER_TYPES = [
  'log',
  'text',
  'thinking',
  'tool_call',
  'tool_result',
  'file_edit',
  'plan',
  'usage',
  'session',
] as const;
/** The service alone writes what people say, so that nobody can forge it. */
const TYPES = [...WORKER_TYPES, 'message', 'input'] as const;
const LARGE: ReadonlySet<string> = new Set(['tool_call', 'file_edit']);

export type LogType = (typeof TYPES)[number];

const EXAMPLE = {
  id: 1,
  at: '2026-11-21T09:31:04.000Z',
  level: 'info',
  stream: 'agent',
  type: 'tool_result',
  text: '',
  data: { call_id: 'toolu_01A2', is_error: false, exit_code: 0, duration_ms: 412, output: '214 commits', bytes: 11 },
} as const;

const entryInputSchema = z
  .strictObject({
    at: timestampSchema.meta({ ...OPTIONAL_TIME, description: 'Default: now.' }),
    level: z.enum(LEVELS, `must be one of ${LEVELS.join(', ')}`).default('info'),
    stream: z.enum(STREAM_NAMES, `must be one of ${STREAM_NAMES.join(', ')}`).nullish(),
    type: z.enum(WORKER_TYPES, `must be one of ${WORKER_TYPES.join(', ')}`).default('log'),
    text: anyTextSchema
      .refine((text) => Buffer.byteLength(text) <= MAX_TEXT_BYTES, `must not be larger than ${MAX_TEXT_BYTES} bytes`)
      .optional()
      .meta({
        description:
          'At most 16 KiB as UTF-8. May be empty; only of another type than `log` may it be absent. A lone surrogate becomes U+FFFD.',
      }),
    data: objectSchema(MAX_LARGE_DATA_BYTES)
      .nullish()
      .meta({
        type: ['object', 'null'],
        additionalProperties: {},
        description:
          'The fields of the type: at most 16 KiB as JSON, 64 KiB of `tool_call` and `file_edit`. See `docs/contract.md`.',
      }),
  })
  .superRefine(({ type, text, data }, context) => {
    const refuse = (path: string, message: string) =>
      context.addIssue({ code: 'custom', path: [path], message, input: type });
    if (type === 'log' && text === undefined) refuse('text', 'is required');
    if (type === 'log' && data) refuse('data', 'is not for an entry of type log');
    if (LARGE.has(type) || !data || Buffer.byteLength(JSON.stringify(data)) <= MAX_DATA_BYTES) return;
    refuse('data', `must not be larger than ${MAX_DATA_BYTES / 1024} KiB as JSON`);
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
    type: z.enum(TYPES),
    text: z.string(),
    data: z.record(z.string(), z.unknown()).nullable().meta({ description: 'The fields of the type; null of `log`.' }),
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
    'A task keeps its last 10,000 entries, and at most 5 MiB of text and data. Entries are added in order; after an error, some of many large ones may have been added. The body may have 1.5 MiB.',
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
        { type: EXAMPLE.type, stream: EXAMPLE.stream, data: EXAMPLE.data },
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

const isLogType = (name: string) => (TYPES as readonly string[]).includes(name);

export const sendDelta = defineOperation({
  id: 'sendDelta',
  method: 'post',
  path: '/leases/{lease_id}/deltas',
  tag: 'Leases',
  scope: 'leases:write',
  summary: 'Pass on live text',
  description:
    'To clients that follow the log now. It is stored nowhere, and dropped under load: the entry that follows is the truth. At most 10 a second.',
  params: leaseParams,
  body: {
    schema: z
      .strictObject({
        token: tokenSchema,
        call_id: textSchema(1, 200).nullish().meta({ description: 'The tool call whose output it is.' }),
        text: anyTextSchema
          .refine(
            (text) => Buffer.byteLength(text) <= MAX_TEXT_BYTES,
            `must not be larger than ${MAX_TEXT_BYTES} bytes`,
          )
          .meta({ description: 'At most 16 KiB as UTF-8.' }),
      })
      .meta({ id: 'Delta' }),
    example: { token: LEASE_TOKEN_EXAMPLE, text: 'The release ' },
  },
  responses: { 204: { description: 'The text is passed on.' } },
  errors: [
    LEASE_NOT_FOUND,
    LEASE_LOST,
    {
      status: 429,
      description: 'More than ten a second.',
      example: { error: 'rate_limited', message: 'A task passes on at most 10 deltas a second' },
      headers: RETRY_AFTER,
    },
  ],
});

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
    types: z
      .string('must be given once')
      .transform((text) => (text === '' ? undefined : text.split(',')))
      .refine((types) => types?.every(isLogType) !== false, `must be a list of ${TYPES.join(', ')}`)
      .optional()
      .meta({
        type: 'string',
        description: 'Only entries of these types, separated by commas.',
        example: 'tool_call,tool_result',
      }),
  }),
  requestHeaders: LAST_EVENT_ID,
  responses: {
    200: {
      description: 'The entries, oldest first.',
      schema: z.array(entrySchema),
      stream:
        'Each entry as `id:`, `event: log` and `data:` (its JSON). Between them `event: delta`, without an `id:`: live text `{call_id, text}` that no entry has yet; some may be missing.',
      headers: {
        Link: { description: '`rel="next"` if more entries may follow.', schema: { type: 'string' } },
      },
      example: [EXAMPLE],
    },
  },
  errors: [AGENT_NOT_FOUND, TASK_NOT_FOUND, tooManyOpenDoc(STREAMS)],
});
