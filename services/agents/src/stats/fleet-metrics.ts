import { timeOfId } from '@agent-fleet/shared/ids';
import { readOnce } from '@agent-fleet/shared/metrics/read-once';
import { exposeGauge } from '@agent-fleet/shared/metrics/scraped-metrics';
import { AGENT_STATUSES } from '../agents/contract.ts';
import type { FleetContext } from '../redis/fleet-context.ts';
import { type FleetScript, loadFleetScript } from '../redis/scripts.ts';
import { earliestStart } from '../tasks/rules/task-rules.ts';
import { toMs } from '../tasks/rules/task-state.ts';
import type { Task } from '../tasks/task.ts';
import { COUNTED_MS } from '../workers/workers.ts';

type TypeAge = 'oldestPending' | 'nextTask' | 'lastPoll';

/** Metrics of the whole fleet, read from Redis at each scrape. */
export function exposeFleet(context: FleetContext): void {
  const { registry, config } = context;
  const findOldest = loadFleetScript(context, 'stats/find-oldest-pending');
  const read = readOnce(() => readFleet(context, config.agentTypes, findOldest));
  const expose = (
    name: string,
    help: string,
    labelNames: string[],
    toValues: (figures: FleetFigures) => number | Iterable<readonly [Record<string, string>, number]>,
  ) =>
    exposeGauge(registry, {
      name,
      help: `${help}; of the whole fleet, from every replica: aggregate by max`,
      ...(labelNames.length > 0 && { labelNames }),
      async read() {
        const figures = await read();
        return figures && toValues(figures);
      },
    });
  const exposeAge = (name: string, help: string, age: TypeAge) =>
    expose(name, help, ['type'], ({ types: ofTypes }) =>
      ofTypes.flatMap(({ type, [age]: ms }) => (ms === null ? [] : [[{ type }, Math.max(0, ms) / 1_000] as const])),
    );

  expose('agents_tasks', 'Tasks that have not ended, by type and status', ['type', 'status'], (figures) =>
    figures.types.flatMap(({ type, pending, running, input_required }) => [
      [{ type, status: 'pending' }, pending] as const,
      [{ type, status: 'running' }, running] as const,
      [{ type, status: 'input_required' }, input_required] as const,
    ]),
  );
  exposeAge(
    'agents_oldest_pending_task_age_seconds',
    'Age of the oldest pending task of a type, scheduled ones and those of paused agents among them',
    'oldestPending',
  );
  exposeAge(
    'agents_next_task_wait_seconds',
    'How long the task that a worker of the type would get next has been ready',
    'nextTask',
  );
  exposeAge('agents_last_poll_age_seconds', 'Time since a worker last requested tasks of the type', 'lastPoll');
  expose('agents_agents', 'Agents by status', ['status'], ({ agents }) =>
    agents.map(([status, count]) => [{ status }, count] as const),
  );
  expose('agents_workers', 'Workers that were seen in the last five minutes', [], ({ workers }) => workers);
  expose('agents_timers_overdue', 'Timers that are due', [], ({ overdueTimers }) => overdueTimers);
  expose(
    'agents_timer_lag_seconds',
    'How long the first timer has been due',
    [],
    ({ timerLagMs }) => timerLagMs / 1_000,
  );
  expose('agents_background_jobs', 'Jobs of the background queue (BullMQ) by state', ['state'], ({ jobs }) =>
    Object.entries(jobs).map(([state, count]) => [{ state }, count] as const),
  );
  expose('agents_background_changes', 'Changes of many tasks that are under way, by kind', ['kind'], ({ changes }) =>
    Object.entries(changes).map(([kind, count]) => [{ kind }, count] as const),
  );
  expose(
    'agents_audit_outbox_entries',
    'Entries on their way to the audit trail',
    [],
    ({ auditOutbox }) => auditOutbox,
  );
}

type FleetFigures = Awaited<ReturnType<typeof readFleet>>;

/** Ages in ms; null where there is nothing. */
interface TypeFigures {
  type: string;
  pending: number;
  running: number;
  input_required: number;
  oldestPending: number | null;
  nextTask: number | null;
  lastPoll: number | null;
}

/**
 * Reads the figures of the whole fleet by a few commands per type and some more, each of which takes O(log n) at most:
 * 0.1 ms of Redis for ten types, 1.2 ms for a hundred (measured).
 */
async function readFleet(context: FleetContext, types: readonly string[], findOldest: FleetScript) {
  const { redis, keys, clock } = context;
  const now = clock.now();
  const job = (state: string) => `${keys.queues}:background:${state}`;
  const [ofTypes, agents, workers, overdue, firstTimer, jobs, changes, outbox] = await Promise.all([
    Promise.all(types.map((type) => readType(context, findOldest, type, now))),
    Promise.all(AGENT_STATUSES.map((status) => redis.zcard(keys.agents({ status })))),
    redis.zcount(keys.workers, now - COUNTED_MS, '+inf'),
    redis.zcount(keys.timers, '-inf', now),
    redis.zrange(keys.timers, 0, '0', 'WITHSCORES'),
    Promise.all([
      redis.llen(job('wait')),
      redis.llen(job('active')),
      redis.zcard(job('delayed')),
      redis.zcard(job('failed')),
    ]),
    Promise.all([redis.hlen(keys.purges), redis.scard(keys.bulkActions)]),
    redis.xlen(keys.auditOutbox),
  ]);
  const [waiting, active, delayed, failed] = jobs;
  const [purge, bulk_action] = changes;
  return {
    types: ofTypes,
    agents: AGENT_STATUSES.map((status, at) => [status, agents[at] as number] as const),
    workers,
    overdueTimers: overdue,
    timerLagMs: Math.max(0, now - Number(firstTimer[1] ?? now)),
    jobs: { waiting, active, delayed, failed },
    changes: { purge, bulk_action },
    auditOutbox: outbox,
  };
}

async function readType(
  { redis, keys }: FleetContext,
  findOldest: FleetScript,
  type: string,
  now: number,
): Promise<TypeFigures> {
  const [pending, running, input_required, [, oldest], [agent], [, polledAt = null]] = await Promise.all([
    redis.zcard(keys.tasks({ type, status: 'pending' })),
    redis.zcard(keys.tasks({ type, status: 'running' })),
    redis.zcard(keys.tasks({ type, status: 'input_required' })),
    findOldest({ types: [type] }) as Promise<string[]>,
    redis.zrange(keys.ready(type), 0, '0'),
    redis.zrange(keys.polls({ type }), '-1', '-1', 'WITHSCORES'),
  ]);
  const [next] = agent ? await redis.zrange(keys.queue(agent), 0, '0') : [];
  const record = next ? await redis.get(keys.task(next)) : null;
  return {
    type,
    pending,
    running,
    input_required,
    oldestPending: oldest ? now - timeOfId(oldest).getTime() : null,
    nextTask: record === null ? null : now - readySince(JSON.parse(record) as Task),
    lastPoll: polledAt === null ? null : now - Number(polledAt),
  };
}

function readySince(task: Task): number {
  return Math.max(toMs(task.updated_at), earliestStart(task));
}
