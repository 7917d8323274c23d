import { defineOperation } from '@agent-fleet/shared/contract/operation';
import { z } from 'zod';
import { AGENT_STATUSES } from '../agents/contract.ts';
import { LIMITED_KEY } from '../contract/callers.ts';
import { AGENT_ID_EXAMPLE, TASK_ID_EXAMPLE } from '../contract/parameters.ts';
import { TASK_STATUSES } from '../tasks/task.ts';
import { fleetSpendSchema, NOTHING_SPENT, SPENT_EXAMPLE } from './spend-contract.ts';

function countsSchema<const Status extends string>(name: string, statuses: readonly Status[]) {
  const counts = Object.fromEntries(statuses.map((status) => [status, z.int()])) as Record<Status, z.ZodInt>;
  return z
    .strictObject({
      total: z.int(),
      by_status: z.strictObject(counts).meta({ id: `${name}StatusCounts` }),
      by_type: z.record(z.string(), z.int()).meta({ description: 'Has each type of `AGENT_TYPES`.' }),
    })
    .meta({ id: `${name}Counts` });
}

const statsSchema = z
  .strictObject({
    at: z.iso.datetime(),
    agents: countsSchema('Agent', AGENT_STATUSES),
    tasks: countsSchema('Task', TASK_STATUSES),
    oldest_pending: z
      .array(
        z
          .strictObject({ type: z.string(), agent_id: z.string(), task_id: z.string(), created_at: z.iso.datetime() })
          .meta({ id: 'OldestPending' }),
      )
      .meta({ description: 'Of each type that has one.' }),
    leases: z.int().meta({ description: 'Leases that workers hold.' }),
    workers: z.int().meta({ description: 'Workers that were seen in the last 5 minutes.' }),
    usage: fleetSpendSchema,
  })
  .meta({ id: 'Stats' });

export type Stats = z.output<typeof statsSchema>;

export const readStats = defineOperation({
  id: 'readStats',
  method: 'get',
  path: '/stats',
  tag: 'Statistics',
  scope: 'tasks:read',
  summary: 'Count agents, tasks, leases, workers and usage',
  description:
    'Exact at one moment. Tasks of deleted agents count until they are removed; `by_type` counts a task by the type that its agent had at its creation. `usage` counts attempts that have ended, since the fleet exists: those of deleted tasks and agents too, but for those that ran when their agent was deleted.',
  responses: {
    200: {
      description: 'The counts.',
      schema: statsSchema,
      example: {
        at: '2026-11-21T09:31:10.000Z',
        agents: {
          total: 3,
          by_status: { idle: 2, active: 1, waiting: 0, error: 0, offline: 0 },
          by_type: { claude: 2, gpt: 1 },
        },
        tasks: {
          total: 45,
          by_status: { pending: 4, running: 1, input_required: 0, completed: 38, failed: 2, cancelled: 0 },
          by_type: { claude: 40, gpt: 5 },
        },
        oldest_pending: [
          {
            type: 'claude',
            agent_id: AGENT_ID_EXAMPLE,
            task_id: TASK_ID_EXAMPLE,
            created_at: '2026-11-21T09:31:00.000Z',
          },
        ],
        leases: 1,
        workers: 2,
        usage: {
          total: SPENT_EXAMPLE,
          by_type: { claude: SPENT_EXAMPLE, gpt: NOTHING_SPENT },
          by_model: [{ model: 'claude-opus-5', ...SPENT_EXAMPLE }],
          by_agent: [{ agent_id: AGENT_ID_EXAMPLE, ...SPENT_EXAMPLE }],
        },
      } satisfies Stats,
    },
  },
  errors: [LIMITED_KEY],
});
