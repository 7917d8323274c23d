import { defineOperation } from '@agent-fleet/shared/contract/operation';
import { limitParameter, PAGE_HEADERS, skipParameter } from '@agent-fleet/shared/contract/paging';
import { z } from 'zod';
import { AGENT_ID_EXAMPLE } from '../contract/parameters.ts';
import { LIMITED_KEY } from '../contract/visible-agents.ts';

const workerSchema = z
  .strictObject({
    worker_id: z.string(),
    types: z.array(z.string()).meta({ description: 'Types of agents whose tasks it has requested.' }),
    agent_ids: z
      .array(z.string())
      .meta({ description: 'Agents whose tasks it has requested by `POST /agents/{agent_id}/leases`, at most 100.' }),
    first_seen_at: z.iso.datetime(),
    last_seen_at: z.iso.datetime().meta({ description: 'To within 5 s. A heartbeat counts.' }),
    polling: z.boolean().meta({ description: 'Whether it has requested tasks in the last 60 s.' }),
    leases: z.int().meta({ description: 'Leases that it holds.' }),
    completed: z.int().meta({ description: 'Tasks that it has reported as completed since `first_seen_at`.' }),
    failed: z.int().meta({ description: 'Attempts that it has reported as failed since then.' }),
    client: z.string().nullable().meta({ description: 'Its address, if known.' }),
  })
  .meta({ id: 'WorkerInfo' });

export type WorkerInfo = z.output<typeof workerSchema>;

export const listWorkers = defineOperation({
  id: 'listWorkers',
  method: 'get',
  path: '/workers',
  tag: 'Leases',
  scope: 'tasks:read',
  summary: 'List workers',
  description:
    'The workers that requested tasks or used a lease in the last 5 minutes, by `worker_id`; at most the last 10,000.',
  query: z.object({ skip: skipParameter, limit: limitParameter }),
  responses: {
    200: {
      description: 'A page of workers.',
      schema: z.array(workerSchema),
      headers: PAGE_HEADERS,
      example: [
        {
          worker_id: 'builder-7',
          types: ['claude'],
          agent_ids: [AGENT_ID_EXAMPLE],
          first_seen_at: '2026-11-21T09:30:58.000Z',
          last_seen_at: '2026-11-21T09:31:22.000Z',
          polling: true,
          leases: 1,
          completed: 12,
          failed: 1,
          client: '203.0.113.7',
        },
      ] satisfies WorkerInfo[],
    },
  },
  errors: [LIMITED_KEY],
});
