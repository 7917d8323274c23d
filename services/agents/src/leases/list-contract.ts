import { defineOperation } from '@agent-fleet/shared/contract/operation';
import { PAGE_HEADERS, queryText } from '@agent-fleet/shared/contract/paging';
import { z } from 'zod';
import { pageParameters } from '../contract/lists.ts';
import { AGENT_ID_EXAMPLE, TASK_ID_EXAMPLE } from '../contract/parameters.ts';

const leaseSchema = z
  .strictObject({
    id: z.string(),
    agent_id: z.string(),
    task_id: z.string(),
    worker_id: z.string(),
    attempt: z.int().meta({ description: 'Number of the attempt, from 1.' }),
    started_at: z.iso.datetime(),
    expires_at: z.iso.datetime().meta({ description: 'The lease expires at this time unless a heartbeat extends it.' }),
    last_heartbeat_at: z.iso.datetime().nullable(),
  })
  .meta({ id: 'LeaseInfo' });

export type LeaseInfo = z.output<typeof leaseSchema>;

export const listLeases = defineOperation({
  id: 'listLeases',
  method: 'get',
  path: '/leases',
  tag: 'Leases',
  scope: 'tasks:read',
  summary: 'List leases',
  description:
    'The leases that workers hold, without their tokens, by the creation of their tasks. A page of large tasks, or of leases that have just ended, may have fewer than `limit` entries. Its `next` link continues. `X-Total-Count` also counts suspended tasks, whose leases have ended.',
  query: z.object({
    ...pageParameters,
    worker_id: queryText('Only leases of this worker. Any text is valid.'),
    agent_id: queryText('Only leases of tasks of this agent. Any text is valid.'),
  }),
  responses: {
    200: {
      description: 'A page of leases.',
      schema: z.array(leaseSchema),
      headers: PAGE_HEADERS,
      example: [
        {
          id: `${AGENT_ID_EXAMPLE}.${TASK_ID_EXAMPLE}.1`,
          agent_id: AGENT_ID_EXAMPLE,
          task_id: TASK_ID_EXAMPLE,
          worker_id: 'builder-7',
          attempt: 1,
          started_at: '2026-11-21T09:31:02.000Z',
          expires_at: '2026-11-21T09:32:22.000Z',
          last_heartbeat_at: '2026-11-21T09:31:22.000Z',
        },
      ] satisfies LeaseInfo[],
    },
  },
});
