import { textSchema } from '@agent-fleet/shared/contract/fields';
import { defineOperation } from '@agent-fleet/shared/contract/operation';
import { z } from 'zod';
import { AGENT_NOT_FOUND, TASK_NOT_FOUND, taskParams } from '../contract/parameters.ts';
import { TASK_EXAMPLE } from './contract.ts';
import { taskSchema } from './task.ts';

export const cancelTask = defineOperation({
  id: 'cancelTask',
  method: 'put',
  path: '/agents/{agent_id}/tasks/{task_id}/cancellation',
  tag: 'Tasks',
  scope: 'tasks:write',
  summary: 'Cancel a task',
  description:
    'Cancels a pending task at once. The same holds for one that waits for a person without a worker. The worker of another one receives the request with its next heartbeat. If the worker does not respond, the task is cancelled when its lease expires. Idempotent.',
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
      description: 'Cancellation is requested from the worker.',
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
      description: 'The task has already completed or failed.',
      example: { error: 'task_not_cancellable', message: 'The task has completed' },
    },
  ],
});
