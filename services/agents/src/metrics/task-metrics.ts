import { createQueueMetrics } from '@agent-fleet/shared/metrics/queue-metrics';
import { Counter, Histogram, type Registry } from 'prom-client';

const LAG_SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30];

/** What it counts of a change of a task. */
interface CountedChange {
  task?: { status: string };
  event?: { type: string };
  attempt?: { outcome: string } | undefined;
}

export type TaskMetrics = ReturnType<typeof createTaskMetrics>;

/** Counts what this replica does: the sum over all replicas is that of the fleet. */
export function createTaskMetrics(registry: Registry) {
  const registers = [registry];
  const created = new Counter({ name: 'agents_tasks_created_total', help: 'Created tasks', registers });
  const leases = new Counter({ name: 'agents_leases_total', help: 'Tasks given to workers', registers });
  const lost = new Counter({
    name: 'agents_leases_lost_total',
    help: 'Leases that ended without a result, by reason: lease_expired (no heartbeat) or timeout',
    labelNames: ['reason'],
    registers,
  });
  const retries = new Counter({
    name: 'agents_task_retries_total',
    help: 'Attempts after which a task became pending again, by their outcome',
    labelNames: ['outcome'],
    registers,
  });
  const ended = new Counter({
    name: 'agents_tasks_ended_total',
    help: 'Ended tasks by status',
    labelNames: ['status'],
    registers,
  });
  const lag = new Histogram({
    name: 'agents_event_lag_seconds',
    help: 'Time from an event to its delivery to waiting requests and streams of this replica',
    buckets: LAG_SECONDS,
    registers,
  });

  return {
    countCreated: (tasks: number) => created.inc(tasks),
    countChange({ task, event, attempt }: CountedChange): void {
      const outcome = attempt?.outcome;
      if (outcome === 'lease_expired' || outcome === 'timeout') lost.inc({ reason: outcome });
      if (event?.type === 'task.leased') leases.inc();
      else if (event?.type === 'task.retry' && outcome !== undefined) retries.inc({ outcome });
      else if (task && event?.type === `task.${task.status}`) ended.inc({ status: task.status });
    },
    countQueueRestart: createQueueMetrics(registry),
    observeEventLag: (ms: number) => lag.observe(Math.max(0, ms) / 1_000),
  };
}
