import { defineOperation, type ErrorDoc } from '@agent-fleet/shared/contract';
import { limitParameter, PAGE_HEADERS, queryInteger, queryText, skipParameter } from '@agent-fleet/shared/paging';
import { z } from 'zod';
import {
  AGENT_NOT_FOUND,
  agentIdParameter,
  ETAG_HEADER,
  IF_MATCH,
  IF_NONE_MATCH,
  LOCATION_HEADER,
  NOT_MODIFIED,
  PRECONDITION_FAILED,
} from '../agents/contract.ts';
import {
  IDEMPOTENCY_ERRORS,
  IDEMPOTENCY_KEY,
  IDEMPOTENT_IN_PROGRESS,
  REPLAYED_HEADER,
} from '../idempotency/contract.ts';
import { textSchema } from '../text.ts';
import { taskInputSchema, taskSchema } from './task.ts';

export const TASK_EXAMPLE = {
  id: '01997e6d-02c1-7f5e-9d3b-6a1f2b7c8d90',
  agent_id: '01997e6c-8a54-7c1b-b3a8-3f6d0c9e5a12',
  message: 'Write the release notes of version 2.4',
  input: { from: 'v2.3', to: 'v2.4' },
  status: 'pending',
  priority: 5,
  scheduled_at: null,
  expires_at: '2026-11-22T09:31:00.000Z',
  timeout_seconds: 3600,
  max_attempts: 3,
  retry_policy: { strategy: 'exponential', delay_seconds: 5, max_delay_seconds: 300, jitter: 0.5 },
  attempt: 0,
  result: null,
  error: null,
  progress: null,
  tags: ['release'],
  metadata: null,
  retry_of: null,
  worker_id: null,
  cancel_requested_at: null,
  next_attempt_at: null,
  started_at: null,
  completed_at: null,
  created_at: '2026-11-21T09:31:00.000Z',
  updated_at: '2026-11-21T09:31:00.000Z',
};

export const TASK_NOT_FOUND: ErrorDoc = {
  status: 404,
  description: 'No such task, or it is of another agent.',
  example: { detail: 'Task not found' },
};
const SEMANTIC_ERROR: ErrorDoc = {
  status: 422,
  description:
    'Well formed but impossible: a time in the past, a start after the end, `retry_of` a task that has not ended; or an `Idempotency-Key` that was used with another body.',
  example: {
    error: 'semantic_error',
    message: 'scheduled_at: is in the past',
    details: { fields: [{ path: 'scheduled_at', code: 'in_the_past', message: 'is in the past' }] },
  },
};

const agentParams = z.object({ agent_id: agentIdParameter });
export const taskParams = agentParams.extend({
  task_id: z.string().meta({ description: 'Id of the task.', example: TASK_EXAMPLE.id }),
});

export const listTasks = defineOperation({
  id: 'listAgentTasks',
  method: 'get',
  path: '/agents/{agent_id}/tasks',
  tag: 'Tasks',
  summary: "List an agent's tasks, oldest first",
  description: 'A page of large tasks may hold fewer than `limit`; the `next` link goes on where it ends.',
  security: 'credentials',
  params: agentParams,
  query: z.object({
    skip: skipParameter,
    limit: limitParameter,
    status: queryText('Only tasks with this status; any text is legal.'),
  }),
  responses: {
    200: {
      description: 'A page of tasks.',
      schema: z.array(taskSchema),
      headers: PAGE_HEADERS,
      example: [TASK_EXAMPLE],
    },
  },
  errors: [AGENT_NOT_FOUND],
});

export const createTask = defineOperation({
  id: 'createTask',
  method: 'post',
  path: '/agents/{agent_id}/tasks',
  tag: 'Tasks',
  summary: 'Give an agent a task',
  security: 'credentials',
  params: agentParams,
  requestHeaders: IDEMPOTENCY_KEY,
  body: {
    schema: taskInputSchema,
    example: { message: TASK_EXAMPLE.message, input: TASK_EXAMPLE.input, tags: TASK_EXAMPLE.tags },
  },
  responses: {
    201: {
      description: 'The new task.',
      schema: taskSchema,
      headers: { ...ETAG_HEADER, ...LOCATION_HEADER, ...REPLAYED_HEADER },
      example: TASK_EXAMPLE,
    },
  },
  errors: [AGENT_NOT_FOUND, IDEMPOTENT_IN_PROGRESS, SEMANTIC_ERROR],
});

const batchResultSchema = z.union([
  z.strictObject({ status: z.literal(201), task: taskSchema }),
  z.strictObject({
    status: z.int().meta({ description: '400 or 422.' }),
    error: z.looseObject({ error: z.string(), message: z.string() }),
  }),
]);

export const createTasks = defineOperation({
  id: 'createTasks',
  method: 'post',
  path: '/agents/{agent_id}/task-batches',
  tag: 'Tasks',
  summary: 'Give an agent up to 500 tasks at once',
  description:
    'One result for each task, in order: a bad task does not refuse the others. The good ones are stored together.',
  security: 'credentials',
  params: agentParams,
  requestHeaders: IDEMPOTENCY_KEY,
  body: {
    schema: z
      .strictObject({
        tasks: z
          .array(z.unknown().meta({ allOf: [{ $ref: '#/components/schemas/TaskInput' }] }), 'must be a list')
          .min(1, 'must have at least one task')
          .max(500, 'must have at most 500 tasks'),
      })
      .meta({ id: 'TaskBatch' }),
    example: { tasks: [{ message: TASK_EXAMPLE.message }, { message: 'Announce version 2.4', priority: 1 }] },
  },
  responses: {
    201: {
      description: 'What came of each task.',
      schema: z.strictObject({ results: z.array(batchResultSchema) }),
      headers: REPLAYED_HEADER,
      example: {
        results: [
          { status: 201, task: TASK_EXAMPLE },
          {
            status: 400,
            error: {
              error: 'validation_error',
              message: 'message: must have 1 to 32768 characters',
              details: {
                fields: [{ path: 'message', code: 'invalid_value', message: 'must have 1 to 32768 characters' }],
              },
            },
          },
        ],
      },
    },
  },
  errors: [AGENT_NOT_FOUND, ...IDEMPOTENCY_ERRORS],
});

export const readTask = defineOperation({
  id: 'getTask',
  method: 'get',
  path: '/agents/{agent_id}/tasks/{task_id}',
  tag: 'Tasks',
  summary: 'Read a task, or wait for its end',
  security: 'credentials',
  params: taskParams,
  query: z.object({
    wait: queryInteger({
      min: 0,
      max: 30,
      description: 'Holds the answer until the task has ended, for so many seconds at most.',
    }),
  }),
  requestHeaders: IF_NONE_MATCH,
  responses: {
    200: { description: 'The task.', schema: taskSchema, headers: ETAG_HEADER, example: TASK_EXAMPLE },
    304: NOT_MODIFIED,
  },
  errors: [AGENT_NOT_FOUND, TASK_NOT_FOUND],
});

export const replaceTask = defineOperation({
  id: 'replaceTask',
  method: 'put',
  path: '/agents/{agent_id}/tasks/{task_id}',
  tag: 'Tasks',
  summary: 'Replace a pending task',
  description: 'Replaces all that the client gave; what is left out takes its default.',
  security: 'credentials',
  params: taskParams,
  requestHeaders: IF_MATCH,
  body: { schema: taskInputSchema, example: { message: TASK_EXAMPLE.message, priority: 1 } },
  responses: {
    200: { description: 'The task as it is now.', schema: taskSchema, headers: ETAG_HEADER, example: TASK_EXAMPLE },
  },
  errors: [
    AGENT_NOT_FOUND,
    TASK_NOT_FOUND,
    {
      status: 409,
      description: 'The task is not pending.',
      example: { error: 'task_not_editable', message: 'The task is running: only a pending one can be replaced' },
    },
    PRECONDITION_FAILED,
    SEMANTIC_ERROR,
  ],
});

export const deleteTask = defineOperation({
  id: 'deleteTask',
  method: 'delete',
  path: '/agents/{agent_id}/tasks/{task_id}',
  tag: 'Tasks',
  summary: 'Delete a task',
  description: 'Of a running task the lease is revoked.',
  security: 'credentials',
  params: taskParams,
  requestHeaders: IF_MATCH,
  responses: { 204: { description: 'Deleted.' } },
  errors: [AGENT_NOT_FOUND, TASK_NOT_FOUND, PRECONDITION_FAILED],
});

export const cancelTask = defineOperation({
  id: 'cancelTask',
  method: 'put',
  path: '/agents/{agent_id}/tasks/{task_id}/cancellation',
  tag: 'Tasks',
  summary: 'Cancel a task',
  description:
    'A pending task is cancelled at once. The worker of a running one is told with its next heartbeat; if it does not answer, the task is cancelled when its lease runs out. Safe to repeat.',
  security: 'credentials',
  params: taskParams,
  body: {
    schema: z
      .strictObject({
        reason: textSchema(1, 1_024)
          .nullish()
          .meta({ type: ['string', 'null'], maxLength: 1_024 }),
      })
      .meta({ id: 'Cancellation' }),
    optional: true,
    example: { reason: 'No longer needed' },
  },
  responses: {
    200: {
      description: 'The task is cancelled.',
      schema: taskSchema,
      example: {
        ...TASK_EXAMPLE,
        status: 'cancelled',
        error: { code: 'cancelled', message: 'No longer needed', retryable: false },
        completed_at: '2026-11-21T09:31:10.000Z',
      },
    },
    202: {
      description: 'The worker is asked.',
      schema: taskSchema,
      example: {
        ...TASK_EXAMPLE,
        status: 'running',
        attempt: 1,
        worker_id: 'builder-7',
        started_at: '2026-11-21T09:31:02.000Z',
        cancel_requested_at: '2026-11-21T09:31:10.000Z',
      },
    },
  },
  errors: [
    AGENT_NOT_FOUND,
    TASK_NOT_FOUND,
    {
      status: 409,
      description: 'The task has completed or failed.',
      example: { error: 'task_not_cancellable', message: 'The task has completed' },
    },
  ],
});

const attemptSchema = z
  .strictObject({
    number: z.int(),
    worker_id: z.string(),
    started_at: z.iso.datetime(),
    ended_at: z.iso.datetime().nullable(),
    outcome: z.enum(['running', 'completed', 'failed', 'cancelled', 'lease_expired', 'timeout', 'released']),
    error: taskSchema.shape.error,
  })
  .meta({ id: 'Attempt' });

export const listAttempts = defineOperation({
  id: 'listTaskAttempts',
  method: 'get',
  path: '/agents/{agent_id}/tasks/{task_id}/attempts',
  tag: 'Tasks',
  summary: 'What became of each attempt',
  description: 'Oldest first; attempts that were released are not counted.',
  security: 'credentials',
  params: taskParams,
  responses: {
    200: {
      description: 'The attempts.',
      schema: z.array(attemptSchema),
      example: [
        {
          number: 1,
          worker_id: 'builder-7',
          started_at: '2026-11-21T09:31:02.000Z',
          ended_at: '2026-11-21T09:31:40.000Z',
          outcome: 'failed',
          error: { code: 'exit_1', message: 'No such tag: v2.4', retryable: true },
        },
      ],
    },
  },
  errors: [AGENT_NOT_FOUND, TASK_NOT_FOUND],
});

export const searchTasks = defineOperation({
  id: 'searchTasks',
  method: 'get',
  path: '/tasks',
  tag: 'Tasks',
  summary: 'Search the tasks of all agents, oldest first',
  description: 'Filters are combined; a value that no task has finds none.',
  security: 'credentials',
  query: z.object({
    skip: skipParameter,
    limit: limitParameter,
    status: queryText('Only tasks with this status.'),
    type: queryText('Only tasks of agents of this type.'),
    agent_id: queryText('Only tasks of this agent.'),
    tag: queryText('Only tasks with this tag.'),
  }),
  responses: {
    200: {
      description: 'A page of tasks.',
      schema: z.array(taskSchema),
      headers: PAGE_HEADERS,
      example: [TASK_EXAMPLE],
    },
  },
});
