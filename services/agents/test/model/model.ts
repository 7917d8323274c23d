import { isDeepStrictEqual } from 'node:util';
import { suspend } from './conversation.ts';
import { countSpent, end, endAttempt, endCancelled, putBack } from './ends.ts';
import {
  addEvent,
  cancelled,
  changed,
  costOf,
  type GivenDefinition,
  type GivenTask,
  isEnded,
  isWorkedOn,
  type Model,
  type ModelAgent,
  type ModelCost,
  type ModelError,
  type ModelTask,
  newTask,
  type Pass,
  type Report,
  type Taker,
  updateAgentStatus,
} from './entities.ts';
import { openOf } from './talk.ts';

export function createTask(agent: ModelAgent, id: string, given: GivenTask, order: number): ModelTask {
  const task = newTask(id, given, { reservedFor: lastWorker(agent, given), definition: agent.definition }, order);
  agent.tasks.push(task);
  setContinuation(agent, id, null, given.continue_of);
  addEvent(agent, task, 'task.created');
  return task;
}

export function replaceTask(agent: ModelAgent, task: ModelTask, given: GivenTask, order: number): void {
  const reservedFor = lastWorker(agent, given);
  setContinuation(agent, task.id, task.given.continue_of, given.continue_of);
  Object.assign(task, { given, waits: given.scheduled, retries: false, due: null, order });
  Object.assign(task, { reservedFor, reserved: reservedFor !== null, parked: false });
  changed(agent, task, 'task.replaced');
}

/** A task continues another one than before; the ended one names it. */
function setContinuation({ tasks }: ModelAgent, id: string, before: string | null, after: string | null): void {
  if (before === after) return;
  const [left, ended] = [before, after].map((prior) => tasks.find((task) => task.id === prior));
  if (left)
    Object.assign(left, { continuedBy: left.continuedBy.filter((one) => one !== id), version: left.version + 1 });
  if (ended) Object.assign(ended, { continuedBy: [...ended.continuedBy, id], version: ended.version + 1 });
}

function lastWorker({ tasks }: ModelAgent, { continue_of }: GivenTask): string | null {
  return tasks.find(({ id }) => id === continue_of)?.worker ?? null;
}

/** Whether a task continues none, or one of the same agent that has ended. */
export function mayContinue({ tasks }: ModelAgent, { continue_of }: GivenTask): boolean {
  return continue_of === null || tasks.some((task) => task.id === continue_of && isEnded(task));
}

export function endReservation(task: ModelTask): void {
  task.reserved = false;
}

export function deleteTask(agent: ModelAgent, task: ModelTask, data?: unknown): void {
  const wasRunning = isWorkedOn(task);
  if (task.lease) countSpent(agent, task);
  agent.tasks = agent.tasks.filter(({ id }) => id !== task.id);
  agent.events.push({ type: 'task.deleted', task_id: task.id, status: 'deleted', ...(data ? { data } : {}) });
  if (wasRunning) updateAgentStatus(agent, 'idle');
}

export function begin(agent: ModelAgent, task: ModelTask, { worker, accepts }: Taker, token: string): void {
  task.leases += 1;
  task.attempt += 1;
  const lease = { number: task.leases, token, overdue: null, cost: null, accepts, hasBegun: false };
  task.holds = task.given.concurrency_key !== null;
  Object.assign(task, { status: 'running', lease, worker, progress: null, retries: false, waits: false, due: null });
  task.parked = false;
  changed(agent, task, 'task.leased', { attempt: task.attempt, worker_id: worker });
  updateAgentStatus(agent, 'idle');
}

export function progress(agent: ModelAgent, task: ModelTask, given: unknown, cost?: ModelCost): void {
  if (task.lease) Object.assign(task.lease, { hasBegun: true, ...(cost && { cost }) });
  if (given === undefined) return;
  task.progress = given;
  changed(agent, task, 'task.progress', { progress: given });
}

export function report(agent: ModelAgent, task: ModelTask, token: string, reported: Report, order: number): void {
  task.reported = { number: task.lease?.number ?? 0, token, report: JSON.stringify(reported) };
  const { status, result = null, error = null, cost } = reported;
  if (task.lease && cost) task.lease.cost = cost;
  if (status === 'failed') {
    const why: Report['error'] & object = error ?? {
      ...{ code: 'failed', message: 'The worker gave no reason', retryable: true },
    };
    const { retry_at, ...kept } = why;
    if (retry_at && !hasSpentAll(task)) park(agent, task, kept, retry_at > FAR ? 'later' : 'now');
    else fail(agent, task, 'failed', kept, order);
    return;
  }
  const why = status === 'completed' ? null : (error ?? cancelled(task.cancelRequest?.reason ?? null));
  endAttempt(agent, task, status, error);
  end(agent, task, status, { result, error: why });
}

export function release(agent: ModelAgent, task: ModelTask, order: number): void {
  if (task.cancelRequest) {
    endCancelled(agent, task, 'released', null);
    return;
  }
  if (task.status === 'input_required') {
    suspend(agent, task);
    return;
  }
  const { worker } = task;
  endAttempt(agent, task, 'released', null);
  task.uncounted.push(task.attempts.length - 1);
  putBack(agent, task, order);
  task.attempt -= 1;
  changed(agent, task, 'task.released', { worker_id: worker });
  updateAgentStatus(agent, 'idle');
}

/** A deadline is in the past, and not applied yet. */
export function overrun(model: Model, { agentId, taskId, what }: Pass): void {
  const task = model.agents.find(({ id }) => id === agentId)?.tasks.find(({ id }) => id === taskId);
  // Until its timer is handled, a reserved task stays where it is.
  if (!task || what === 'reservation' || what === 'interruption') return;
  if (what === 'request') {
    const [request] = openOf(task.talk);
    if (request) request.isOverdue = true;
  } else if (what === 'lease' || what === 'timeout') {
    // The clock of an attempt stands still while its task waits: only its lease can end then.
    if (task.lease) task.lease.overdue = task.status === 'running' ? what : 'lease';
  } else {
    task.due = what;
    task.version += 1;
  }
}

/** A passed deadline is applied. */
export function applyDeadline(agent: ModelAgent, task: ModelTask, order: number): void {
  if (task.lease) {
    const { overdue } = task.lease;
    if (!overdue) return;
    const outcome = overdue === 'lease' ? 'lease_expired' : 'timeout';
    if (task.cancelRequest) {
      endCancelled(agent, task, 'lease_expired', null);
      return;
    }
    if (task.status === 'input_required') suspend(agent, task);
    else fail(agent, task, outcome, TIME_ERRORS[outcome], order);
  } else if (task.due === 'expiry' && task.talk.requests.length > 0) {
    task.due = null;
  } else if (task.due === 'expiry' && task.status === 'pending') {
    end(agent, task, 'failed', { error: TIME_ERRORS.expired });
  } else if (task.due === 'start' && task.status === 'pending') {
    Object.assign(task, { waits: false, due: null, order: task.parked ? FIRST : order });
  } else if (task.due === 'retention' && isEnded(task)) {
    deleteTask(agent, task, { reason: 'retention' });
  }
}

export function replaceAgent(agent: ModelAgent, name: string, type: string): void {
  Object.assign(agent, { name, type, earlierTypes: [...agent.earlierTypes, agent.type] });
  agent.events.push({ type: 'agent.replaced', data: { name, type } });
}

/** Replaces the definition, unless it is the same. */
export function define(agent: ModelAgent, given: GivenDefinition): void {
  const { version, ...current } = agent.definition ?? { version: 0 };
  if (agent.definition && isDeepStrictEqual(current, given)) return;
  agent.lastVersion += 1;
  agent.definition = { ...given, version: agent.lastVersion };
  agent.events.push({ type: 'agent.definition_replaced', data: { version: agent.lastVersion } });
}

export function undefine(agent: ModelAgent): void {
  if (agent.definition) agent.events.push({ type: 'agent.definition_deleted' });
  agent.definition = null;
}

export function pauseAgent(agent: ModelAgent, reason: string | null): void {
  if (agent.paused?.reason !== reason) agent.events.push({ type: 'agent.paused', data: { reason } });
  agent.paused = { reason };
}

export function resumeAgent(agent: ModelAgent): void {
  if (agent.paused) agent.events.push({ type: 'agent.resumed' });
  delete agent.paused;
}

export function deleteAgent(agent: ModelAgent): void {
  agent.events.push({ type: 'agent.deleted', status: 'deleted' });
  Object.assign(agent, { deleted: true, tasks: [] });
}

const TIME_ERRORS = {
  lease_expired: {
    code: 'lease_expired',
    message: 'The lease expired without a heartbeat',
    retryable: true,
  },
  timeout: { code: 'timeout', message: 'The attempt took longer than 3600 s', retryable: true },
  expired: { code: 'expired', message: 'The task did not start before expires_at', retryable: false },
};

function fail(
  agent: ModelAgent,
  task: ModelTask,
  outcome: 'failed' | 'lease_expired' | 'timeout',
  error: ModelError,
  order: number,
): void {
  const { max_attempts } = task.given;
  const isSpent = hasSpentAll(task);
  const isLast = !error.retryable || task.attempt >= max_attempts || isSpent;
  if (!isLast && task.cancelRequest) {
    endCancelled(agent, task, outcome, error);
    return;
  }
  endAttempt(agent, task, outcome, error);
  if (isLast) {
    end(agent, task, 'failed', { error }, outcome === 'lease_expired' ? 'offline' : 'error');
    return;
  }
  putBack(agent, task, order);
  Object.assign(task, { error, retries: true, waits: outcome === 'failed' && task.given.retryWaits });
  task.reserved = task.reservedFor !== null;
  changed(agent, task, 'task.retry', { attempt: task.attempt, error });
  updateAgentStatus(agent, 'idle');
}

function hasSpentAll(task: ModelTask): boolean {
  const { max_cost } = task.given;
  return max_cost !== null && (costOf(task)?.amount ?? 0) >= max_cost.amount;
}

/** Before all that have come to the queue. */
const FIRST = -1;
/** Times after it are in the future. */
const FAR = '2090';

/** Its provider takes no calls: the attempt does not count. */
function park(agent: ModelAgent, task: ModelTask, error: ModelError, starts: 'now' | 'later'): void {
  if (task.cancelRequest) {
    endCancelled(agent, task, 'parked', error);
    return;
  }
  const { worker } = task;
  endAttempt(agent, task, 'parked', error);
  putBack(agent, task, FIRST);
  task.attempt -= 1;
  Object.assign(task, { error, retries: true, parked: true, waits: starts === 'later' });
  task.reserved = task.reservedFor !== null;
  changed(agent, task, 'task.parked', { reason: 'provider_quota', worker_id: worker });
  updateAgentStatus(agent, 'idle');
}
