import { fleet } from '../../api/fleet.ts';
import { totalCount } from '../../api/total-count.ts';
import { useQuery } from '../../api/use-query.ts';
import type { OldestPending, Waiting } from './queues.ts';

/** Types beyond these have no details: each needs two requests. */
const MAX_TYPES = 12;

export interface QueueDetails {
  pending: number;
  waiting: Waiting;
}

/** How many tasks of each type wait, and why the oldest one waits. Loaded again when an oldest one changes. */
export function useQueueDetails(oldest: readonly OldestPending[] | undefined): ReadonlyMap<string, QueueDetails> {
  const shown = oldest?.slice(0, MAX_TYPES);
  const { data } = useQuery(
    shown ? JSON.stringify(shown.map(({ type, task_id }) => [type, task_id])) : null,
    async (signal) => new Map(await Promise.all((shown ?? []).map((one) => readDetails(one, signal)))),
    { everyMs: 5_000 },
  );
  return data ?? new Map();
}

async function readDetails(
  { type, agent_id, task_id }: OldestPending,
  signal: AbortSignal,
): Promise<[string, QueueDetails]> {
  const query = { status: 'pending', type, fields: 'id', limit: 1 };
  const [waiting, pending] = await Promise.all([
    fleet.get('/agents/{agent_id}/tasks/{task_id}/waiting', { params: { path: { agent_id, task_id } }, signal }),
    fleet.get('/tasks', { params: { query }, signal }),
  ]);
  return [type, { waiting: waiting.data, pending: totalCount(pending.response) }];
}
