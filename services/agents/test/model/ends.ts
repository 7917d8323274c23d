import {
  addEvent,
  cancelled,
  changed,
  costOf,
  isEnded,
  isWorkedOn,
  type ModelAgent,
  type ModelError,
  type ModelTask,
  updateAgentStatus,
} from './entities.ts';
import * as talks from './talk.ts';

export function requestCancel(agent: ModelAgent, task: ModelTask, reason: string | null): void {
  if (isEnded(task)) return;
  if (!task.lease) {
    end(agent, task, 'cancelled', { error: cancelled(reason) });
    return;
  }
  if (task.cancelRequest) return;
  task.cancelRequest = { reason };
  if (task.lease.accepts.length > 0) talks.addItem(task.talk, { type: 'cancel', reason });
  changed(agent, task, 'task.cancel_requested', reason === null ? undefined : { reason });
}

export function endCancelled(agent: ModelAgent, task: ModelTask, outcome: string, error: ModelError | null): void {
  endAttempt(agent, task, outcome, error);
  end(agent, task, 'cancelled', { error: cancelled(task.cancelRequest?.reason ?? null) });
}

export function end(
  agent: ModelAgent,
  task: ModelTask,
  status: 'completed' | 'failed' | 'cancelled',
  { result = null, error }: { result?: unknown; error: ModelError | null },
  rest = 'idle',
): void {
  const wasRunning = isWorkedOn(task);
  withdrawAll(agent, task);
  talks.endTalk(task.talk);
  task.cost = costOf(task);
  task.holds = false;
  Object.assign(task, { status, result, error, lease: null, retries: false, waits: false, due: null });
  changed(agent, task, `task.${status}`, { attempt: task.attempt, ...(error && { error }) });
  if (wasRunning) updateAgentStatus(agent, rest);
}

export function putBack(agent: ModelAgent, task: ModelTask, order: number): void {
  withdrawAll(agent, task);
  talks.requeue(task.talk, task.lease?.hasBegun === true);
  task.cost = costOf(task);
  task.holds = false;
  Object.assign(task, { status: 'pending', lease: null, progress: null, worker: null, retries: false, waits: false });
  Object.assign(task, { order, due: null });
}

export function endAttempt(agent: ModelAgent, task: ModelTask, outcome: string, error: ModelError | null): void {
  task.attempts.push({ number: task.attempt, worker_id: task.worker, outcome, error, cost: task.lease?.cost ?? null });
  countSpent(agent, task);
}

/** Each attempt that ends counts, also of a task that is deleted. */
export function countSpent({ spent }: ModelAgent, { lease }: ModelTask): void {
  spent.attempts += 1;
  spent.amount += lease?.cost?.amount ?? 0;
}

/** Closes requests without an answer. The events have the status before. */
export function close(
  agent: ModelAgent,
  task: ModelTask,
  { requests, state }: { requests: talks.ModelRequest[]; state: 'withdrawn' | 'expired' },
): void {
  for (const request of requests) {
    request.state = state;
    task.log.push(`input ${request.key} ${state}`);
    addEvent(agent, task, `task.input_${state}`, { request: request.key });
  }
}

function withdrawAll(agent: ModelAgent, task: ModelTask): void {
  close(agent, task, { requests: talks.openOf(task.talk), state: 'withdrawn' });
}
