import { type Input, json, type Reply } from '@agent-fleet/shared/contract/operation';
import { isId } from '@agent-fleet/shared/ids';
import { type Missing, notFound } from '../contract/not-found.ts';
import type { FleetContext } from '../redis/fleet-context.ts';
import { loadFleetScript } from '../redis/scripts.ts';
import { toStoredTask } from '../tasks/stored-task.ts';
import { earliestStart } from '../tasks/task-rules.ts';
import { RESERVATION_MS, type TaskWithState } from '../tasks/task-state.ts';
import { toMs, toTime } from '../tasks/task-transitions.ts';
import { POLLING_MS } from './polling.ts';
import type { readWaiting, Waiting } from './waiting-contract.ts';

/** What a task may wait for. */
interface Circumstances {
  /** Since when the agent is paused; null when it is not. */
  pausedAt: string | null;
  /** How many tasks of the agent go before; null when the task is not in its queue. */
  ahead: number | null;
  /** When workers last requested tasks of the agent, or of its type; null when they have not. */
  polledAt: number | null;
}

/** The operation that tells why a task waits. */
export function createWaiting(context: FleetContext) {
  const { clock } = context;
  const read = loadFleetScript(context, 'read-waiting');

  return {
    async readWaiting({ params }: Input<typeof readWaiting>): Promise<Reply> {
      const { agent_id: agent, task_id: task } = params;
      if (!isId(agent) || !isId(task)) throw notFound({ outcome: isId(agent) ? 'missing' : 'agent missing' });
      const [outcome, record, pausedAt, ahead, polledAt, stateText] = await read({ agent, task });
      if (outcome !== 'found') throw notFound({ outcome } as Missing);
      const circumstances = { pausedAt, ahead, polledAt: polledAt === null ? null : Number(polledAt) } as Circumstances;
      return json(explain(toStoredTask(record as string, stateText as string), circumstances, clock.now()));
    },
  };
}

/** Finds why a task waits. */
function explain({ task, state }: TaskWithState, circumstances: Circumstances, now: number): Waiting {
  const { pausedAt, ahead, polledAt } = circumstances;
  const { status, scheduled_at, next_attempt_at, updated_at } = task;
  if (status !== 'pending') return { reason: null, since: null };
  if (pausedAt !== null) return { reason: 'paused', since: pausedAt };
  if (ahead === null && state.reservation && earliestStart(task) <= now) {
    const { workerId: worker_id, until } = state.reservation;
    const since = Math.max(toMs(updated_at), until - RESERVATION_MS);
    return { reason: 'reserved', since: toTime(since), worker_id, until: toTime(until) };
  }
  // It joins the queue when its start has come.
  if (ahead === null) {
    const isRetry = toMs(scheduled_at) <= now && next_attempt_at !== null;
    return { reason: isRetry ? 'retry_delay' : 'scheduled', since: updated_at };
  }
  if (polledAt === null) return { reason: 'no_worker', since: null };
  if (polledAt < now - POLLING_MS) return { reason: 'no_worker', since: toTime(polledAt) };
  return { reason: 'in_line', since: toTime(Math.max(toMs(updated_at), earliestStart(task))), ahead };
}
