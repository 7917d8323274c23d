import { anyTextSchema, OPTIONAL_TIME, orNull, textSchema, timestampSchema } from '@agent-fleet/shared/contract/fields';
import { z } from 'zod';
import { agentFields, servedAgentFields } from '../agent-work/agent-fields.ts';
import {
  DEFAULT_LIMITS,
  maxAttemptsSchema,
  retryPolicySchema,
  servedRetryPolicySchema,
  timeoutSchema,
} from '../agent-work/limits.ts';
import { costSchema, usageSchema } from '../agent-work/spend.ts';
import { anyJsonSchema, integerSchema, jsonSchema, objectSchema } from '../contract/fields.ts';
import { labelsSchema } from '../contract/labels.ts';

const KIB = 1024;

export const MAX_MESSAGE = 32_768;

export const inputSchema = jsonSchema(256 * KIB).optional();

const dependencyFields = {
  after: z
    .array(textSchema(1, 64), 'must be a list')
    .max(32, 'must have at most 32 tasks')
    .nullish()
    .meta({ description: 'Tasks of any agents that it comes after: it starts when all have ended.' }),
  after_failure: z.enum(['fail', 'run'], 'must be fail or run').nullish().meta({
    default: 'fail',
    description:
      'What it does when one of them does not complete: `fail`, with the code `dependency_failed`, or `run`.',
  }),
};

/** The fields of a task that a client sends. */
export const taskInputSchema = z
  .strictObject({
    message: textSchema(1, MAX_MESSAGE).meta({ description: 'The instructions of the task.' }),
    input: inputSchema.meta({ description: 'Any JSON, at most 256 KiB.' }),
    priority: integerSchema(1, 10).default(5).meta({ description: '1 is the highest.' }),
    scheduled_at: timestampSchema.meta({ ...OPTIONAL_TIME, description: 'Earliest start; up to 30 days ahead.' }),
    expires_at: timestampSchema.meta({
      ...OPTIONAL_TIME,
      description: 'The task fails unless it has started by then. Default: 24 h after creation or `scheduled_at`.',
    }),
    timeout_seconds: timeoutSchema.optional().meta({
      default: DEFAULT_LIMITS.timeout_seconds,
      description: "Limit of one attempt. Default: that of the agent's definition, else this one.",
    }),
    max_attempts: maxAttemptsSchema.optional().meta({ default: DEFAULT_LIMITS.max_attempts }),
    retry_policy: retryPolicySchema.optional(),
    tags: z.array(textSchema(1, 128), 'must be a list').max(10, 'must have at most 10 tags').nullish(),
    metadata: objectSchema(16 * KIB)
      .nullish()
      .meta({ type: ['object', 'null'], additionalProperties: {}, description: 'At most 16 KiB.' }),
    requires: labelsSchema(8)
      .nullish()
      .meta({ description: "Labels that a worker must have, besides those of the agent's definition." }),
    concurrency_key: textSchema(1, 128)
      .nullish()
      .meta({
        type: ['string', 'null'],
        minLength: 1,
        maxLength: 128,
        description: 'Of the tasks of an agent with the same key, at most one runs at a time.',
      }),
    retry_of: anyTextSchema.nullish().meta({ description: 'The ended task of the same agent that this one retries.' }),
    ...dependencyFields,
    ...agentFields,
  })
  .meta({ id: 'TaskInput' });

export type TaskInput = z.output<typeof taskInputSchema>;

export const TASK_STATUSES = ['pending', 'running', 'input_required', 'completed', 'failed', 'cancelled'] as const;

const optionalTime = z.iso.datetime().nullable();

export const taskErrorSchema = z
  .strictObject({ code: z.string(), message: z.string(), retryable: z.boolean() })
  .meta({ id: 'TaskError' });

/** A served task: unset fields are null. */
export const taskSchema = z
  .strictObject({
    id: z.string(),
    agent_id: z.string(),
    message: z.string(),
    input: anyJsonSchema.meta({ description: 'As the client gave it, else null.' }),
    status: z.enum(TASK_STATUSES),
    priority: z.int(),
    scheduled_at: optionalTime,
    expires_at: z.iso.datetime(),
    timeout_seconds: z.int(),
    max_attempts: z.int(),
    retry_policy: servedRetryPolicySchema,
    attempt: z.int().meta({ description: '0 before the first lease.' }),
    result: anyJsonSchema.meta({ description: 'As the worker reported it, else null.' }),
    error: orNull(taskErrorSchema, 'The error of the last failed attempt, or why the task ended.'),
    progress: orNull(
      z
        .strictObject({ percent: z.number().nullable(), message: z.string().nullable() })
        .meta({ id: 'Progress', description: 'As the worker reported it; `percent` is 0 to 100.' }),
      'Progress of the running attempt.',
    ),
    tags: z.array(z.string()).nullable(),
    metadata: z.record(z.string(), z.unknown()).nullable(),
    retry_of: z.string().nullable(),
    ...servedAgentFields,
    continued_by: z
      .array(z.string())
      .optional()
      .meta({ description: 'Tasks that continue this one, at most 100. Absent in older tasks.' }),
    usage: orNull(usageSchema, 'Of all ended attempts, released ones included; null while none has reported any.'),
    cost: orNull(costSchema, 'The same of their cost.'),
    traceparent: z
      .string()
      .nullable()
      .meta({ description: 'W3C Trace Context of the request that created the task, for the spans of its worker.' }),
    agent_version: z
      .int()
      .nullable()
      .optional()
      .meta({ description: "The version of the agent's definition that holds for it. Absent in older tasks." }),
    requires: z
      .array(z.string())
      .nullable()
      .optional()
      .meta({ description: 'As the client gave it. Absent in older tasks.' }),
    concurrency_key: z.string().nullable().optional().meta({ description: 'Absent in older tasks.' }),
    after: z
      .array(z.string())
      .nullable()
      .optional()
      .meta({ description: 'As the client gave it. Absent in older tasks.' }),
    after_failure: z.enum(['fail', 'run']).nullable().optional().meta({ description: 'Null without `after`.' }),
    created_by: orNull(
      z.strictObject({ id: z.string(), name: z.string() }).meta({ id: 'Creator' }),
      'The user, whose name is an e-mail address, or the API key that created it. Absent in older tasks.',
    ).optional(),
    worker_id: z.string().nullable().meta({ description: 'The current or last worker.' }),
    cancel_requested_at: optionalTime,
    next_attempt_at: optionalTime.meta({ description: 'Earliest start of the retry.' }),
    started_at: optionalTime.meta({ description: 'Start of the current or last attempt.' }),
    completed_at: optionalTime,
    created_at: z.iso.datetime(),
    updated_at: z.iso.datetime(),
  })
  .meta({ id: 'Task' });

export type Task = z.output<typeof taskSchema>;

/** Progress of a running task as its worker reports it. */
export const progressSchema = z
  .strictObject({
    percent: z
      .number('must be a number')
      .min(0, 'must be from 0 to 100')
      .max(100, 'must be from 0 to 100')
      .nullable()
      .default(null),
    message: textSchema(1, 1_024)
      .nullable()
      .default(null)
      .meta({ type: ['string', 'null'], maxLength: 1_024 }),
  })
  .meta({ id: 'ProgressInput' });
