import { defineOperation } from '@agent-fleet/shared/contract/operation';
import { z } from 'zod';
import { AGENT_NOT_FOUND, TASK_NOT_FOUND, taskParams } from '../contract/parameters.ts';

const waitingSchema = z
  .strictObject({
    reason: z.enum(['paused', 'scheduled', 'retry_delay', 'reserved', 'no_worker', 'in_line']).nullable().meta({
      description:
        'Of several reasons the first of these. `reserved`: it continues a task, and only the worker of that one may start it for 60 s. `no_worker`: no worker has requested tasks of the agent or its type for 60 s. Null if the task is not pending.',
    }),
    since: z.iso.datetime().nullable().meta({
      description: 'When the reason began to hold; with `no_worker` the last such request, or null.',
    }),
    worker_id: z.string().optional().meta({ description: 'With `reserved`: the worker.' }),
    until: z.iso.datetime().optional().meta({ description: 'With `reserved`: from then on any worker may start it.' }),
    ahead: z.int().optional().meta({ description: 'With `in_line`: tasks of the agent that go before.' }),
  })
  .meta({ id: 'Waiting' });

export type Waiting = z.output<typeof waitingSchema>;

export const readWaiting = defineOperation({
  id: 'readWaiting',
  method: 'get',
  path: '/agents/{agent_id}/tasks/{task_id}/waiting',
  tag: 'Tasks',
  scope: 'tasks:read',
  summary: 'Read why a task waits',
  params: taskParams,
  responses: {
    200: {
      description: 'Why the task waits.',
      schema: waitingSchema,
      example: { reason: 'in_line', since: '2026-11-21T09:31:00.000Z', ahead: 3 } satisfies Waiting,
    },
  },
  errors: [AGENT_NOT_FOUND, TASK_NOT_FOUND],
});
