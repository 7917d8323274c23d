import { orNull } from '@agent-fleet/shared/contract/fields';
import { defineOperation } from '@agent-fleet/shared/contract/operation';
import { queryBoolean } from '@agent-fleet/shared/contract/paging';
import { z } from 'zod';
import { COST_EXAMPLE, costSchema, USAGE_EXAMPLE, usageSchema } from '../agent-work/spend.ts';
import { AGENT_NOT_FOUND, TASK_NOT_FOUND, taskParams } from '../contract/parameters.ts';
import { taskErrorSchema } from './task.ts';

const attemptSchema = z
  .strictObject({
    number: z.int(),
    worker_id: z.string(),
    started_at: z.iso.datetime(),
    ended_at: z.iso.datetime().nullable(),
    outcome: z.enum([
      'running',
      'completed',
      'failed',
      'cancelled',
      'lease_expired',
      'timeout',
      'released',
      'suspended',
      'parked',
    ]),
    error: orNull(taskErrorSchema),
    usage: orNull(usageSchema, 'As the worker last reported it; null when it did not.'),
    cost: orNull(costSchema, 'The same.'),
    model: z.string().nullable().meta({ description: 'The model that was used. The same.' }),
  })
  .meta({ id: 'Attempt' });

export type Attempt = z.output<typeof attemptSchema>;

export const listAttempts = defineOperation({
  id: 'listTaskAttempts',
  method: 'get',
  path: '/agents/{agent_id}/tasks/{task_id}/attempts',
  tag: 'Tasks',
  scope: 'tasks:read',
  summary: 'List attempts',
  description:
    'The last 1,000, oldest first. Released attempts are listed with `all=true` only; suspended and parked ones always, with the number of the attempt that goes on.',
  params: taskParams,
  query: z.object({ all: queryBoolean('Also attempts that do not count as such: their usage and cost do.') }),
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
          usage: USAGE_EXAMPLE,
          cost: COST_EXAMPLE,
          model: 'claude-opus-5',
        },
      ],
    },
  },
  errors: [AGENT_NOT_FOUND, TASK_NOT_FOUND],
});
