import { defineOperation, type ErrorDoc } from '@agent-fleet/shared/contract/operation';
import { z } from 'zod';
import { PENDING_TASKS, quotaExceededDoc, TOO_MANY_SETS } from '../../contract/callers.ts';
import { VERBATIM } from '../../contract/fields.ts';
import {
  AGENT_ID_EXAMPLE,
  AGENT_NOT_FOUND,
  skillsQuery,
  TASK_NOT_FOUND,
  taskParams,
} from '../../contract/parameters.ts';
import { IDEMPOTENCY_KEY, IDEMPOTENT_IN_PROGRESS, REPLAYED_HEADER } from '../../idempotency/contract.ts';
import { batchResultSchema } from '../batch-contract.ts';
import { TASK_EXAMPLE } from '../contract.ts';
import { TASK_STATUSES, taskInputSchema } from '../task.ts';

/** Before the key of a task of the batch, in `after`. */
export const KEY_PREFIX = '@';

/** A task of a batch. */
export const graphTaskSchema = z
  .strictObject({
    agent_id: z.string('must be a text').meta({ description: 'Id of the agent.' }),
    key: z
      .string('must be a text')
      .regex(/^[\w-]{1,64}$/, 'must have 1 to 64 letters, digits, - or _')
      .nullish()
      .meta({ type: ['string', 'null'], description: 'Names it in the batch: `after` of others may have `@<key>`.' }),
    ...taskInputSchema.shape,
    after: z
      .array(z.string('must be a text').min(1).max(65), 'must be a list')
      .max(32, 'must have at most 32 tasks')
      .nullish()
      .meta({ description: 'Ids of tasks, and `@<key>` of tasks of the batch.' }),
  })
  .meta({ id: 'GraphTaskInput' });

const IMPOSSIBLE: ErrorDoc = {
  status: 422,
  description:
    'A value is well formed but impossible, as for a single task, or the agent is unknown; the path begins with the index of the task. Or the `Idempotency-Key` was used with a different body.',
  example: {
    error: 'semantic_error',
    message: 'tasks.1.after.0: names no task: 01997e6d-02c1-7f5e-9d3b-6a1f2b7c8d90',
    details: {
      fields: [
        {
          path: 'tasks.1.after.0',
          code: 'unknown_dependency',
          message: 'names no task: 01997e6d-02c1-7f5e-9d3b-6a1f2b7c8d90',
        },
      ],
    },
  },
};

export const createTaskGraph = defineOperation({
  id: 'createTaskGraph',
  method: 'post',
  path: '/task-batches',
  tag: 'Tasks',
  scope: 'tasks:write',
  summary: 'Create up to 500 tasks of any agents that come after each other',
  description:
    'All or none: the first fault refuses the whole, unless `partial` is true. Then each task that is at fault is refused, and those that come after it. They are stored in steps; what an interruption leaves is created within seconds.',
  requestHeaders: IDEMPOTENCY_KEY,
  query: skillsQuery,
  body: {
    schema: z
      .strictObject({
        tasks: z
          .array(z.unknown().meta({ $ref: '#/components/schemas/GraphTaskInput' }), 'must be a list')
          .min(1, 'must have at least one task')
          .max(500, 'must have at most 500 tasks'),
        partial: z.boolean('must be true or false').default(false),
      })
      .meta({ id: 'TaskGraph' }),
    verbatim: VERBATIM,
    parts: [graphTaskSchema],
    example: {
      tasks: [
        { agent_id: AGENT_ID_EXAMPLE, key: 'notes', message: TASK_EXAMPLE.message },
        { agent_id: AGENT_ID_EXAMPLE, message: 'Announce version 2.4', after: ['@notes'] },
      ],
    },
  },
  responses: {
    201: {
      description: 'The result for each task, in order.',
      schema: z.strictObject({ results: z.array(batchResultSchema) }).meta({ id: 'TaskGraphResults' }),
      headers: REPLAYED_HEADER,
      example: { results: [{ status: 201, task: TASK_EXAMPLE }] },
    },
  },
  errors: [quotaExceededDoc(PENDING_TASKS), IDEMPOTENT_IN_PROGRESS, TOO_MANY_SETS, IMPOSSIBLE],
});

const nodeSchema = z
  .strictObject({
    task_id: z.string(),
    agent_id: z.string(),
    message: z.string().meta({ description: 'The first 200 characters of it.' }),
    status: z.enum(TASK_STATUSES),
    after: z.array(z.string()).meta({ description: 'Tasks of the graph that it comes after.' }),
  })
  .meta({ id: 'GraphNode' });

export type GraphNode = z.output<typeof nodeSchema>;

export const readTaskGraph = defineOperation({
  id: 'getTaskGraph',
  method: 'get',
  path: '/agents/{agent_id}/tasks/{task_id}/graph',
  tag: 'Tasks',
  scope: 'tasks:read',
  summary: 'Read what a task comes after, and what comes after it',
  description:
    'All tasks that are connected with it, at most the 500 nearest, by creation. Tasks that the caller may not see, or that were deleted, are left out.',
  params: taskParams,
  responses: {
    200: {
      description: 'The graph.',
      schema: z
        .strictObject({
          nodes: z.array(nodeSchema),
          truncated: z.boolean().meta({ description: 'Whether there are more.' }),
        })
        .meta({ id: 'TaskDependencies' }),
      example: {
        nodes: [
          {
            task_id: TASK_EXAMPLE.id,
            agent_id: AGENT_ID_EXAMPLE,
            message: TASK_EXAMPLE.message,
            status: 'pending',
            after: [],
          },
        ],
        truncated: false,
      },
    },
  },
  errors: [AGENT_NOT_FOUND, TASK_NOT_FOUND],
});
