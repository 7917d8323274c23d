import { type Input, json, type Reply } from '@agent-fleet/shared/contract/operation';
import { visibleAgents } from '../contract/callers.ts';
import { toLeaseId } from '../contract/ids.ts';
import { selectFields, toPageHeaders } from '../contract/lists.ts';
import type { FleetContext } from '../redis/fleet-context.ts';
import { parseState, toTime } from '../tasks/rules/task-state.ts';
import type { TaskSearch } from '../tasks/store/task-search.ts';
import type { Task } from '../tasks/task.ts';
import type { LeaseInfo, listLeases } from './list-contract.ts';

type Running = Pick<Task, 'id' | 'agent_id' | 'attempt'>;

/** The operation that lists leases: those of the tasks that a search finds and that a worker has. */
export function createLeaseList({ redis, keys }: FleetContext, search: TaskSearch) {
  async function readLeases(records: string[]): Promise<LeaseInfo[]> {
    if (records.length === 0) return [];
    const tasks = (await selectFields(records, ['agent_id', 'attempt'])).map((text) => JSON.parse(text) as Running);
    const states = await redis.mget(tasks.map(({ id }) => keys.state(id)));
    return tasks.flatMap((task, at) => toLeaseInfo(task, states[at] ?? null) ?? []);
  }

  return {
    async listLeases({ query, req }: Input<typeof listLeases>): Promise<Reply> {
      const { skip, limit, after, ...filter } = query;
      const page = { skip, limit, after, order: 'asc' } as const;
      const found = await search.search({ ...filter, status: ['running', 'input_required'] }, page, visibleAgents(req));
      const leases = await readLeases(found.records);
      return json(leases, 200, toPageHeaders(req.originalUrl, page, found));
    },
  };
}

/** Undefined for a task that has stopped running meanwhile. */
function toLeaseInfo({ id, agent_id, attempt }: Running, stateText: string | null): LeaseInfo | undefined {
  const lease = stateText === null ? null : parseState(stateText).state.lease;
  if (!lease) return undefined;
  return {
    id: toLeaseId({ agentId: agent_id, taskId: id, number: lease.number }),
    agent_id,
    task_id: id,
    worker_id: lease.workerId,
    attempt,
    started_at: toTime(lease.startedAt),
    expires_at: toTime(lease.expiresAt),
    last_heartbeat_at: lease.heartbeatAt === undefined ? null : toTime(lease.heartbeatAt),
  };
}
