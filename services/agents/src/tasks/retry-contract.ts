import { ETAG_HEADER } from '@agent-fleet/shared/contract/conditions';
import { textSchema } from '@agent-fleet/shared/contract/fields';
import { defineOperation } from '@agent-fleet/shared/contract/operation';
import { z } from 'zod';
import { PENDING_TASKS, quotaExceededDoc, TOO_MANY_SETS } from '../contract/callers.ts';
import { VERBATIM } from '../contract/fields.ts';
import {
  AGENT_NOT_FOUND,
  LOCATION_HEADER,
  TASK_ID_EXAMPLE,
  TASK_NOT_FOUND,
  taskParams,
} from '../contract/parameters.ts';
import { IDEMPOTENCY_ERRORS, IDEMPOTENCY_KEY, REPLAYED_HEADER } from '../idempotency/contract.ts';
import { TASK_EXAMPLE } from './contract.ts';
import { inputSchema, MAX_MESSAGE, taskSchema } from './task.ts';

const NOT_ENDED = {
  error: 'task_not_ended',
  message: 'The task is running: only an ended task can be retried',
};

export const retryTask = defineOperation({
  id: 'retryTask',
  method: 'post',
  path: '/agents/{agent_id}/tasks/{task_id}/retries',
  tag: 'Tasks',
  scope: 'tasks:write',
  summary: 'Create a task like one that has ended',
  description:
    'The new task has all that a client gave the ended one but its times, and names it in `retry_of`. It may start at once, and expires after 24 h. What it came after and has completed is taken over; in place of what has failed, name others in `after`, or retry that `with_dependencies`: else 422.',
  params: taskParams,
  requestHeaders: IDEMPOTENCY_KEY,
  body: {
    schema: z
      .strictObject({
        message: textSchema(1, MAX_MESSAGE)
          .optional()
          .meta({ description: 'Instead of the message of the ended task.' }),
        input: inputSchema.meta({ description: 'Instead of the input of the ended task.' }),
        after: z.array(textSchema(1, 64), 'must be a list').max(32, 'must have at most 32 tasks').optional().meta({
          description:
            'Tasks that it comes after, in place of those that have not completed; those that have completed are taken over.',
        }),
        with_dependencies: z.boolean('must be true or false').optional().meta({
          description:
            'Whether what it came after and has not completed is retried, too, and so on: at most 500 tasks.',
        }),
        agent_version: z.literal('latest', 'must be latest').optional().meta({
          description: "`latest`: the current version of the agent's definition, not that of the ended task.",
        }),
      })
      .meta({ id: 'RetryInput' }),
    optional: true,
    verbatim: VERBATIM,
    example: { input: { from: 'v2.2', to: 'v2.4' } },
  },
  responses: {
    201: {
      description: 'The new task.',
      schema: taskSchema,
      headers: { ...ETAG_HEADER, ...LOCATION_HEADER, ...REPLAYED_HEADER },
      example: {
        ...TASK_EXAMPLE,
        id: '01997e7d-51a0-7c46-8b2e-4d9f3a6c1e05',
        input: { from: 'v2.2', to: 'v2.4' },
        retry_of: TASK_ID_EXAMPLE,
      },
    },
  },
  errors: [
    AGENT_NOT_FOUND,
    TASK_NOT_FOUND,
    quotaExceededDoc(PENDING_TASKS),
    ...IDEMPOTENCY_ERRORS,
    { status: 409, description: 'The task has not ended.', example: NOT_ENDED },
    TOO_MANY_SETS,
  ],
});
