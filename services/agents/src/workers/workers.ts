import { type Input, json, type Reply } from '@agent-fleet/shared/contract/operation';
import { pageHeaders } from '@agent-fleet/shared/contract/paging';
import type { FleetContext } from '../redis/fleet-context.ts';
import { toTime } from '../tasks/task-transitions.ts';
import type { listWorkers, WorkerInfo } from './contract.ts';
import { POLLING_MS } from './polling.ts';

/** A worker is listed for this time after it was last seen. */
const LISTED_MS = 5 * 60_000;

/** Types and agents that are listed of a worker: the last ones. */
const MAX_NAMES = 100;

/** The operation that lists workers. */
export function createWorkers({ redis, keys, clock }: FleetContext) {
  /** Undefined for one that was removed meanwhile. */
  async function read(id: string, now: number): Promise<WorkerInfo | undefined> {
    const [fields, seen, leases] = await Promise.all([
      redis.hgetall(keys.worker(id)),
      redis.zscore(keys.workers, id),
      redis.zcard(keys.tasks({ worker: id, status: 'running' })),
    ]);
    if (fields.first === undefined || seen === null) return undefined;
    const recent = (name: string) =>
      Object.entries(fields)
        .filter(([field, at]) => field.startsWith(`${name} `) && Number(at) >= now - LISTED_MS)
        .sort(([, one], [, other]) => Number(other) - Number(one))
        .slice(0, MAX_NAMES)
        .map(([field]) => field.slice(name.length + 1))
        .sort();
    return {
      worker_id: id,
      types: recent('type'),
      agent_ids: recent('agent'),
      first_seen_at: toTime(Number(fields.first)),
      last_seen_at: toTime(Number(seen)),
      polling: Number(fields.polled ?? 0) >= now - POLLING_MS,
      leases,
      completed: Number(fields.completed ?? 0),
      failed: Number(fields.failed ?? 0),
      client: fields.client || null,
    };
  }

  return {
    async list({ query, req }: Input<typeof listWorkers>): Promise<Reply> {
      const { skip, limit } = query;
      const now = clock.now();
      const ids = await redis.zrange(keys.workers, now - LISTED_MS, '+inf', 'BYSCORE');
      const ofPage = ids.sort().slice(skip, skip + limit);
      const workers = await Promise.all(ofPage.map((id) => read(id, now)));
      const listed = workers.filter((worker) => worker !== undefined);
      return json(listed, 200, pageHeaders(req.originalUrl, query, ids.length, ofPage.length));
    },
  };
}
