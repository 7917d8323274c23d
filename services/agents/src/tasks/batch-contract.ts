import { ERROR_SCHEMA } from '@agent-fleet/shared/contract/openapi';
import { defineOperation } from '@agent-fleet/shared/contract/operation';
import { z } from 'zod';
import { TOO_MANY_SETS } from '../contract/callers.ts';
import { VERBATIM } from '../contract/fields.ts';
import { AGENT_NOT_FOUND, agentParams, skillsQuery } from '../contract/parameters.ts';
import { IDEMPOTENCY_ERRORS, IDEMPOTENCY_KEY, REPLAYED_HEADER } from '../idempotency/contract.ts';
import { TASK_EXAMPLE } from './contract.ts';
import { taskSchema } from './task.ts';

export const batchResultSchema = z.union([
  z.strictObject({ status: z.literal(201), task: taskSchema }).meta({ id: 'CreatedTask' }),
  z
    .strictObject({
      status: z.int().meta({ description: '400, 403 (the quota of pending tasks is used up) or 422.' }),
      error: ERROR_SCHEMA,
    })
    .meta({ id: 'RefusedTask' }),
]);

export const createTasks = defineOperation({
  id: 'createTasks',
  method: 'post',
  path: '/agents/{agent_id}/task-batches',
  tag: 'Tasks',
  scope: 'tasks:write',
  summary: 'Create up to 500 tasks',
  description:
    'Returns one result for each task, in order. An invalid task does not affect the others. Many tasks are stored in steps: after an error, repeat the request with its `Idempotency-Key` to store the rest.',
  params: agentParams,
  requestHeaders: IDEMPOTENCY_KEY,
  query: skillsQuery,
  body: {
    schema: z
      .strictObject({
        tasks: z
          .array(z.unknown().meta({ $ref: '#/components/schemas/TaskInput' }), 'must be a list')
          .min(1, 'must have at least one task')
          .max(500, 'must have at most 500 tasks'),
      })
      .meta({ id: 'TaskBatch' }),
    verbatim: VERBATIM,
    example: { tasks: [{ message: TASK_EXAMPLE.message }, { message: 'Announce version 2.4', priority: 1 }] },
  },
  responses: {
    201: {
      description: 'The result for each task.',
      schema: z.strictObject({ results: z.array(batchResultSchema) }).meta({ id: 'TaskBatchResults' }),
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
  errors: [AGENT_NOT_FOUND, ...IDEMPOTENCY_ERRORS, TOO_MANY_SETS],
});
