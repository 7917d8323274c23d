import type { Reply } from '@agent-fleet/shared/contract/operation';
import { batchPerTick } from '@agent-fleet/shared/http/batch-per-tick';
import { timeOfId } from '@agent-fleet/shared/ids';
import { SPENT_COUNTERS } from '../agent-work/used.ts';
import { AGENT_STATUSES } from '../agents/contract.ts';
import type { FleetContext } from '../redis/fleet-context.ts';
import { loadFleetScript } from '../redis/scripts.ts';
import { TASK_STATUSES } from '../tasks/task.ts';
import { COUNTED_MS } from '../workers/workers.ts';
import { exposeFleet } from './fleet-metrics.ts';
import { createSeries } from './series.ts';
import { createSpend, toFleetSpend } from './spend.ts';
import { createSpendOverTime } from './spend-over-time.ts';
import type { Stats } from './stats-contract.ts';

/** Agents with the highest cost. */
const MAX_SPENDERS = 100;

/** What read-stats-1.lua returns. */
type Counted = [
  workers: number,
  agents: number[],
  tasks: number[],
  oldest: string[],
  spent: string[],
  spenders: string[],
  suspended: number,
];

/** The operations on what is counted, and the metrics of the whole fleet. */
export function createStats(context: FleetContext) {
  exposeFleet(context);
  const spend = { ...createSpend(context), ...createSpendOverTime(context) };
  return { ...createCounts(context), ...createSeries(context), ...spend };
}

/** The operation that counts; concurrent requests share a response. */
function createCounts(context: FleetContext) {
  const types = context.config.agentTypes;
  const { clock } = context;
  const readCounts = loadFleetScript(context, 'stats/read-stats');
  const waiting = batchPerTick<PromiseWithResolvers<Reply>>(async (requests) => {
    try {
      const json = JSON.stringify(await readAll());
      for (const { resolve } of requests) resolve({ status: 200, json });
    } catch (error) {
      for (const { reject } of requests) reject(error);
    }
  });

  async function readAll(): Promise<Stats> {
    const now = clock.now();
    const statuses = { agent_statuses: AGENT_STATUSES, task_statuses: TASK_STATUSES };
    const spend = { counters: SPENT_COUNTERS, spenders: MAX_SPENDERS };
    const found = (await readCounts({ types, ...statuses, ...spend, seen: now - COUNTED_MS })) as Counted;
    const [workers, agentCounts, taskCounts, oldest, spent, spenders, suspended] = found;
    const tasks = toCounts(TASK_STATUSES, types, taskCounts);
    return {
      at: new Date(now).toISOString(),
      agents: toCounts(AGENT_STATUSES, types, agentCounts),
      tasks,
      oldest_pending: toOldest(oldest),
      leases: tasks.by_status.running + tasks.by_status.input_required - suspended,
      workers,
      usage: toFleetSpend(types, spent, spenders),
    };
  }

  return {
    async readStats(): Promise<Reply> {
      const request = Promise.withResolvers<Reply>();
      waiting.add(request);
      return request.promise;
    },
  };
}

/** `counts`: the total, by status, by type. */
function toCounts<Status extends string>(statuses: readonly Status[], types: readonly string[], counts: number[]) {
  const [total = 0, ...others] = counts;
  const pairs = [...statuses, ...types].map((name, at) => [name, others[at]] as const);
  return {
    total,
    by_status: Object.fromEntries(pairs.slice(0, statuses.length)) as Record<Status, number>,
    by_type: Object.fromEntries(pairs.slice(statuses.length)) as Record<string, number>,
  };
}

/** `values`: for each task its type, id and agent. */
function toOldest(values: readonly string[]): Stats['oldest_pending'] {
  return Array.from({ length: values.length / 3 }, (_, at) => {
    const [type, task_id, agent_id] = values.slice(3 * at, 3 * at + 3) as [string, string, string];
    return { type, agent_id, task_id, created_at: timeOfId(task_id).toISOString() };
  });
}
