import { readOnce } from '@agent-fleet/shared/metrics/read-once';
import { exposeGauge } from '@agent-fleet/shared/metrics/scraped-metrics';
import type { Registry } from 'prom-client';
import type { FleetContext } from '../redis/fleet-context.ts';
import { type FleetFigures, readFleet } from './read-fleet.ts';

type TypeAge = 'oldestPending' | 'nextTask' | 'lastPoll';

/** Metrics of the whole fleet, read from Redis at each scrape. `types`: the configured agent types. */
export function exposeFleet(registry: Registry, context: FleetContext, types: readonly string[]): void {
  const read = readOnce(() => readFleet(context, types));
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
    figures.types.flatMap(({ type, pending, running }) => [
      [{ type, status: 'pending' }, pending] as const,
      [{ type, status: 'running' }, running] as const,
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
