import { OPTIONAL_TIME, orNull, textSchema, timestampSchema } from '@agent-fleet/shared/contract/fields';
import { defineOperation, type ResponseDoc } from '@agent-fleet/shared/contract/operation';
import { z } from 'zod';
import { spendFields } from '../agent-work/spend.ts';
import { tooManyOpenDoc, WAITS } from '../contract/callers.ts';
import { agentTypeSchema, integerSchema, jsonSchema, VERBATIM } from '../contract/fields.ts';
import { labelsSchema } from '../contract/labels.ts';
import {
  ACCEPTS,
  LEASE_LOST,
  LEASE_NOT_FOUND,
  LEASE_TOKEN_EXAMPLE,
  LEASE_TOKEN_HEADER,
  leaseParams,
  tokenSchema,
} from '../contract/leases.ts';
import { AGENT_NOT_FOUND, agentParams } from '../contract/parameters.ts';
import { suspensionFields } from '../conversations/suspensions/contract.ts';
import { resumeSchema } from '../conversations/suspensions/resume.ts';
import { definitionSchema } from '../definitions/definition.ts';
import { TASK_EXAMPLE } from '../tasks/contract.ts';
import { dependencySchema } from '../tasks/graphs/results.ts';
import { progressSchema, taskSchema } from '../tasks/task.ts';
import { pauseFields } from '../workers/pauses.ts';

const MIB = 1024 * 1024;
/** Larger than the largest result, so that the schema of the result reports its own limit. */
const RESULT_BODY_BYTES = 1.5 * MIB;

const RUNNING_EXAMPLE = {
  ...TASK_EXAMPLE,
  status: 'running',
  attempt: 1,
  worker_id: 'builder-7',
  started_at: '2026-11-21T09:31:02.000Z',
  updated_at: '2026-11-21T09:31:02.000Z',
};
const LEASE_EXAMPLE = {
  id: `${TASK_EXAMPLE.agent_id}.${TASK_EXAMPLE.id}.1`,
  token: LEASE_TOKEN_EXAMPLE,
  task: RUNNING_EXAMPLE,
  definition: null,
  attempt: 1,
  expires_at: '2026-11-21T09:32:02.000Z',
  heartbeat_interval_seconds: 20,
};

const leaseSchema = z
  .strictObject({
    id: z.string(),
    token: z.string().meta({ description: 'Proves ownership of the lease. Keep it secret.' }),
    task: taskSchema,
    attempt: z.int().meta({ description: 'Number of the attempt, from 1.' }),
    expires_at: z.iso.datetime().meta({ description: 'The lease expires at this time unless a heartbeat extends it.' }),
    heartbeat_interval_seconds: z.int(),
    definition: orNull(
      definitionSchema,
      'The version that the task names, with what the task gives itself in place of its values; null without one.',
    ),
    dependencies: z
      .array(dependencySchema)
      .optional()
      .meta({ description: 'What the task comes after, in the order of its `after`; absent without it.' }),
    resume: orNull(resumeSchema, 'Of a task that was suspended, to go on with it; else absent.').optional(),
  })
  .meta({ id: 'Lease' });

const holderFields = {
  worker_id: textSchema(1, 100).meta({ description: 'Name of the worker, for people.' }),
  accepts: z
    .array(z.enum(ACCEPTS, `must be of ${ACCEPTS.join(', ')}`), 'must be a list')
    .max(ACCEPTS.length, `must have at most ${ACCEPTS.length} values`)
    .default([])
    .meta({
      description:
        'What the worker takes: `messages` of people, `steer` and `interrupt` during a turn, answers to `input` requests, `definitions` of agents. It gets no task that needs what it does not take.',
    }),
  labels: labelsSchema(32)
    .default([])
    .meta({ description: 'What the worker has. It gets no task that requires a label which is not among these.' }),
  ...pauseFields,
  max_tasks: integerSchema(1, 20).default(1).meta({ description: 'Maximum number of tasks.' }),
  wait_seconds: integerSchema(0, 30).default(0).meta({ description: 'Seconds to wait for a first task.' }),
  lease_seconds: integerSchema(5, 900)
    .default(60)
    .meta({ description: 'Seconds until the lease expires without a heartbeat.' }),
};

const leaseResponses = {
  201: {
    description: 'The leased tasks.',
    schema: z.strictObject({ leases: z.array(leaseSchema) }).meta({ id: 'Leases' }),
    example: { leases: [LEASE_EXAMPLE] },
  },
  204: { description: 'No task became available in time.' },
} satisfies Record<number, ResponseDoc>;

export const leaseFromAgent = defineOperation({
  id: 'leaseAgentTasks',
  method: 'post',
  path: '/agents/{agent_id}/leases',
  tag: 'Leases',
  scope: 'leases:write',
  summary: "Lease an agent's next tasks",
  description: 'Leases tasks by priority, then first in, first out. Waits for a first task for at most `wait_seconds`.',
  params: agentParams,
  body: {
    schema: z.strictObject(holderFields).meta({ id: 'AgentLeaseRequest' }),
    example: { worker_id: 'builder-7', wait_seconds: 30 },
  },
  responses: leaseResponses,
  errors: [AGENT_NOT_FOUND, tooManyOpenDoc(WAITS)],
});

/** The operations on leases by type; `types` are the allowed ones, by configuration. */
export function createLeaseFromTypes(types: readonly string[]) {
  return defineOperation({
    id: 'leaseTasks',
    method: 'post',
    path: '/leases',
    tag: 'Leases',
    scope: 'leases:write',
    summary: 'Lease the next tasks of agents of the given types',
    description:
      'Agents take turns, so that an agent with many tasks does not starve the others. Priority applies within an agent. Waits for a first task for at most `wait_seconds`.',
    body: {
      schema: z
        .strictObject({
          ...holderFields,
          types: z
            .array(agentTypeSchema(types), 'must be a list')
            .min(1, 'must name at least one type')
            .max(100, 'must name at most 100 types')
            .default([...types])
            .meta({ description: 'Default: all types.' }),
        })
        .meta({ id: 'LeaseRequest' }),
      example: { worker_id: 'builder-7', types: [types[0]], max_tasks: 2, wait_seconds: 30 },
    },
    responses: leaseResponses,
    errors: [tooManyOpenDoc(WAITS)],
  });
}

export const heartbeat = defineOperation({
  id: 'heartbeatLease',
  method: 'put',
  path: '/leases/{lease_id}/heartbeat',
  tag: 'Leases',
  scope: 'leases:write',
  summary: 'Extend a lease and check for a cancellation request',
  description:
    'The lease then expires `lease_seconds` from now, but no later than the `timeout_seconds` of the attempt.',
  params: leaseParams,
  body: {
    schema: z
      .strictObject({ token: tokenSchema, progress: orNull(progressSchema).optional(), ...spendFields })
      .meta({ id: 'Heartbeat' }),
    example: { token: LEASE_TOKEN_EXAMPLE, progress: { percent: 40, message: 'Reading the commits' } },
  },
  responses: {
    200: {
      description: 'The lease is extended.',
      schema: z
        .strictObject({
          expires_at: z.iso.datetime(),
          cancel_requested: z
            .boolean()
            .meta({ description: 'If true, the worker should stop and report `cancelled`.' }),
          inbox: z.int().meta({ description: 'Number of the last item of its inbox; 0 before the first.' }),
          cost_left: orNull(
            z.strictObject({ amount: z.number(), currency: z.literal('USD') }).meta({ id: 'CostLeft' }),
            'The least that is left of the budgets of the task; null without one. At 0 the worker ends the attempt with the error `budget_exceeded`; the next heartbeat ends one that goes on.',
          ),
        })
        .meta({ id: 'HeartbeatAnswer' }),
      example: { expires_at: '2026-11-21T09:32:22.000Z', cancel_requested: false, inbox: 0, cost_left: null },
    },
  },
  errors: [LEASE_NOT_FOUND, LEASE_LOST],
});

const errorSchema = z
  .strictObject({
    code: textSchema(1, 128),
    message: textSchema(1, 8_192),
    retryable: z
      .boolean('must be true or false')
      .default(true)
      .meta({ description: 'Whether another attempt may succeed. If false, the task ends at once.' }),
    retry_at: timestampSchema.meta({
      ...OPTIONAL_TIME,
      description:
        'With the code `rate_limited`: when the provider takes calls again. The task is parked until then, for 7 days at most, and the attempt does not count; 50 times at most.',
    }),
  })
  .meta({ id: 'TaskErrorInput' });

const resultSchema = z
  .strictObject({
    token: tokenSchema,
    status: z.enum(['completed', 'failed', 'cancelled'], 'must be completed, failed or cancelled'),
    result: jsonSchema(MIB).optional().meta({ description: 'Any JSON, at most 1 MiB.' }),
    error: orNull(errorSchema, 'The error. Not allowed with `completed`.').optional(),
    ...suspensionFields,
    ...spendFields,
  })
  .refine(({ status, error }) => status !== 'completed' || !error, {
    path: ['error'],
    message: 'is not for a completed task',
  })
  .meta({ id: 'TaskResult' });

export const putResult = defineOperation({
  id: 'putLeaseResult',
  method: 'put',
  path: '/leases/{lease_id}/result',
  tag: 'Leases',
  scope: 'leases:write',
  summary: 'Report the result of a task',
  description:
    'Ends the lease. `failed` returns the task to the queue for its next attempt, unless no attempt is left or `retryable` is false. A repeated identical report returns the current task.',
  params: leaseParams,
  body: {
    schema: resultSchema,
    verbatim: new Set([...VERBATIM, 'state']),
    example: { token: LEASE_TOKEN_EXAMPLE, status: 'completed', result: { notes: '…' } },
    maxBytes: RESULT_BODY_BYTES,
  },
  responses: {
    200: {
      description: 'The current task.',
      schema: taskSchema,
      example: {
        ...RUNNING_EXAMPLE,
        status: 'completed',
        result: { notes: '…' },
        completed_at: '2026-11-21T09:31:40.000Z',
        updated_at: '2026-11-21T09:31:40.000Z',
      },
    },
  },
  errors: [LEASE_NOT_FOUND, LEASE_LOST],
});

export const releaseLease = defineOperation({
  id: 'releaseLease',
  method: 'delete',
  path: '/leases/{lease_id}',
  tag: 'Leases',
  scope: 'leases:write',
  summary: 'Return a task to the queue',
  description: 'The attempt does not count. The task goes to the back of the queue of its priority.',
  params: leaseParams,
  requestHeaders: LEASE_TOKEN_HEADER,
  responses: { 204: { description: 'The lease is released.' } },
  errors: [LEASE_NOT_FOUND, LEASE_LOST],
});
