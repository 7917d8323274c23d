import * as talks from './talk.ts';

/**
 * The contract of agents, tasks and leases in memory, as a sequence of steps. The service must agree with it. The model
 * is plain JSON, so that it can be copied when several orders are possible.
 */
export interface Model {
  agents: ModelAgent[];
  /** Tasks that were created with an `Idempotency-Key`. */
  keyed: Record<string, string>;
}

interface ModelError {
  code: string;
  message: string;
  retryable: boolean;
}

/** The fields of a task that a client sets. */
export interface GivenTask {
  message: string;
  priority: number;
  max_attempts: number;
  tags: string[] | null;
  max_cost: { amount: number; currency: 'USD' } | null;
  continue_of: string | null;
  /** Whether a retry is delayed. */
  retryWaits: boolean;
  /** Whether it is scheduled for later. */
  scheduled: boolean;
}

export interface Report {
  status: 'completed' | 'failed' | 'cancelled';
  result?: unknown;
  error?: ModelError;
  cost?: ModelCost;
}

/** With whole amounts, whose sums are exact. */
export interface ModelCost {
  amount: number;
  currency: 'USD';
  estimated: boolean;
}

export interface TaskRef {
  agentId: string;
  taskId: string;
}

/**
 * A deadline of a task: of its lease, its attempt, the task, its start, its reservation, its retention, its first open
 * request or its interruption.
 */
export interface Pass extends TaskRef {
  what: 'lease' | 'timeout' | 'expiry' | 'start' | 'reservation' | 'retention' | 'request' | 'interruption';
}

export const isEnded = ({ status }: ModelTask) => /^(completed|failed|cancelled)$/.test(status);
export const isReady = ({ status, waits }: ModelTask) => status === 'pending' && !waits;

/** A reserved task is ready for one worker only, and one of a conversation for a worker that takes part in it. */
export const isReadyFor = (task: ModelTask, worker: string, accepts: readonly string[]) =>
  isReady(task) && (!task.reserved || task.reservedFor === worker) && talks.mayTake(task.talk, accepts);

export type ModelAgent = ReturnType<typeof createAgent>;

export function createAgent(id: string, name: string, type: string) {
  return {
    id,
    name,
    type,
    earlierTypes: [] as string[],
    status: 'idle',
    deleted: false,
    /** Why it is paused; undefined when it is not. */
    paused: undefined as { reason: string | null } | undefined,
    tasks: [] as ModelTask[],
    events: [{ type: 'agent.created', status: 'idle' }] as {
      type: string;
      task_id?: string;
      status?: string;
      data?: unknown;
    }[],
  };
}

export type ModelTask = ReturnType<typeof newTask>;

function newTask(id: string, given: GivenTask, reservedFor: string | null, order: number) {
  return {
    id,
    given,
    status: 'pending' as 'pending' | 'running' | 'input_required' | 'completed' | 'failed' | 'cancelled',
    attempt: 0,
    /** Leases so far, including released ones. */
    leases: 0,
    lease: null as {
      number: number;
      token: string;
      overdue: 'lease' | 'timeout' | null;
      cost: ModelCost | null;
      accepts: readonly string[];
      hasBegun: boolean;
    } | null,
    talk: talks.newTalk(),
    reported: null as { number: number; token: string; report: string } | null,
    cancelRequest: null as { reason: string | null } | null,
    result: null as unknown,
    error: null as ModelError | null,
    progress: null as unknown,
    /** Of the attempts that have ended. */
    cost: null as ModelCost | null,
    worker: null as string | null,
    retries: false,
    /** The last worker of the task that it continues, and whether its minute is not over. */
    reservedFor,
    reserved: reservedFor !== null,
    /** Pending, and its start is in the future. */
    waits: given.scheduled,
    /** A deadline has passed and is not applied yet. */
    due: null as 'expiry' | 'start' | 'retention' | null,
    /** The step in which it entered the queue. */
    order,
    /** Counts changes of the record. */
    version: 0,
    log: [] as string[],
    /** Ids of the tasks that continue it. */
    continuedBy: [] as string[],
    attempts: [] as {
      number: number;
      worker_id: string | null;
      outcome: string;
      error: ModelError | null;
      cost: ModelCost | null;
    }[],
  };
}

export function createTask(agent: ModelAgent, id: string, given: GivenTask, order: number): ModelTask {
  const task = newTask(id, given, lastWorker(agent, given), order);
  agent.tasks.push(task);
  setContinuation(agent, id, null, given.continue_of);
  addEvent(agent, task, 'task.created');
  return task;
}

export function replaceTask(agent: ModelAgent, task: ModelTask, given: GivenTask, order: number): void {
  const reservedFor = lastWorker(agent, given);
  setContinuation(agent, task.id, task.given.continue_of, given.continue_of);
  Object.assign(task, { given, waits: given.scheduled, retries: false, due: null, order });
  Object.assign(task, { reservedFor, reserved: reservedFor !== null });
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
  agent.tasks = agent.tasks.filter(({ id }) => id !== task.id);
  agent.events.push({ type: 'task.deleted', task_id: task.id, status: 'deleted', ...(data ? { data } : {}) });
  if (wasRunning) updateAgentStatus(agent, 'idle');
}

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

export interface Taker {
  worker: string;
  accepts: readonly string[];
}

export function begin(agent: ModelAgent, task: ModelTask, { worker, accepts }: Taker, token: string): void {
  task.leases += 1;
  task.attempt += 1;
  const lease = { number: task.leases, token, overdue: null, cost: null, accepts, hasBegun: false };
  Object.assign(task, { status: 'running', lease, worker, progress: null, retries: false, waits: false, due: null });
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
    const why = error ?? { code: 'failed', message: 'The worker gave no reason', retryable: true };
    fail(agent, task, 'failed', why, order);
    return;
  }
  const why = status === 'completed' ? null : (error ?? cancelled(task.cancelRequest?.reason ?? null));
  endAttempt(task, status, error);
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
  putBack(agent, task, order);
  task.attempt -= 1;
  changed(agent, task, 'task.released', { worker_id: worker });
  updateAgentStatus(agent, 'idle');
}

/** A deadline is in the past, and not applied yet. */
export function overrun(model: Model, { agentId, taskId, what }: Pass): void {
  const task = model.agents.find(({ id }) => id === agentId)?.tasks.find(({ id }) => id === taskId);
  // Until its timer is handled, a reserved task stays where it is.
  if (!task || what === 'reservation' || what === 'request' || what === 'interruption') return;
  if (what === 'lease' || what === 'timeout') {
    if (task.lease) task.lease.overdue = what;
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
    Object.assign(task, { waits: false, due: null, order });
  } else if (task.due === 'retention' && isEnded(task)) {
    deleteTask(agent, task, { reason: 'retention' });
  }
}

export function replaceAgent(agent: ModelAgent, name: string, type: string): void {
  Object.assign(agent, { name, type, earlierTypes: [...agent.earlierTypes, agent.type] });
  agent.events.push({ type: 'agent.replaced', data: { name, type } });
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
  const { max_attempts, max_cost } = task.given;
  const isSpent = max_cost !== null && (costOf(task)?.amount ?? 0) >= max_cost.amount;
  const isLast = !error.retryable || task.attempt >= max_attempts || isSpent;
  if (!isLast && task.cancelRequest) {
    endCancelled(agent, task, outcome, error);
    return;
  }
  endAttempt(task, outcome, error);
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

function endCancelled(agent: ModelAgent, task: ModelTask, outcome: string, error: ModelError | null): void {
  endAttempt(task, outcome, error);
  end(agent, task, 'cancelled', { error: cancelled(task.cancelRequest?.reason ?? null) });
}

function end(
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
  Object.assign(task, { status, result, error, lease: null, retries: false, waits: false, due: null });
  changed(agent, task, `task.${status}`, { attempt: task.attempt, ...(error && { error }) });
  if (wasRunning) updateAgentStatus(agent, rest);
}

function putBack(agent: ModelAgent, task: ModelTask, order: number): void {
  withdrawAll(agent, task);
  talks.requeue(task.talk, task.lease?.hasBegun === true);
  task.cost = costOf(task);
  Object.assign(task, { status: 'pending', lease: null, progress: null, worker: null, retries: false, waits: false });
  Object.assign(task, { order, due: null });
}

function endAttempt(task: ModelTask, outcome: string, error: ModelError | null): void {
  task.attempts.push({ number: task.attempt, worker_id: task.worker, outcome, error, cost: task.lease?.cost ?? null });
}

/** The cost of a task when its present attempt ends. */
function costOf({ cost, lease }: ModelTask): ModelCost | null {
  const last = lease?.cost ?? null;
  if (!cost || !last) return cost ?? last;
  return { ...last, amount: cost.amount + last.amount, estimated: cost.estimated || last.estimated };
}

function cancelled(reason: string | null): ModelError {
  return { code: 'cancelled', message: reason ?? 'Cancelled', retryable: false };
}

function changed(agent: ModelAgent, task: ModelTask, type: string, data?: unknown): void {
  task.version += 1;
  addEvent(agent, task, type, data);
}

function addEvent(agent: ModelAgent, task: ModelTask, type: string, data?: unknown): void {
  agent.events.push({ type, task_id: task.id, status: task.status, ...(data ? { data } : {}) });
}

export const isWorkedOn = ({ status }: ModelTask) => status === 'running' || status === 'input_required';

/** Opens a request: a person must say something. */
export function ask(
  agent: ModelAgent,
  task: ModelTask,
  request: Pick<talks.ModelRequest, 'key' | 'id' | 'kind' | 'hasDefault'>,
): void {
  const { key, kind } = request;
  talks.addRequest(task.talk, request);
  if (task.status === 'running') Object.assign(task, { status: 'input_required', version: task.version + 1 });
  task.log.push(`input ${key} open`);
  addEvent(agent, task, 'task.input_required', { request: key, kind });
  updateAgentStatus(agent, 'idle');
}

export function interrupted(agent: ModelAgent, task: ModelTask): void {
  const { talk } = task;
  talk.interruptions += 1;
  talk.isInterrupted = false;
  ask(agent, task, {
    key: `${talks.INTERRUPTION}${talk.interruptions}`,
    id: null,
    kind: 'question',
    hasDefault: false,
  });
}

export function answer(
  agent: ModelAgent,
  task: ModelTask,
  request: talks.ModelRequest,
  { text, stops, order }: { text: string; stops: boolean; order: number },
): void {
  Object.assign(request, { state: 'answered', answer: text });
  task.log.push(`input ${request.key} answered`);
  talks.tell(task.talk, request, task.lease !== null);
  const before = task.status;
  goOn(agent, task, order, () => {
    // What follows is told with the status before.
    const isCancelled = stops && !task.cancelRequest;
    const status = isCancelled ? before : task.status;
    addEvent(agent, { ...task, status }, 'task.input_answered', { request: request.key });
    if (isCancelled && !task.lease) task.status = before;
    if (isCancelled) requestCancel(agent, task, 'Stopped by a person');
  });
}

/** Closes requests without an answer. `last`: the event of the change, which tells the status after it. */
function close(
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

export function withdraw(agent: ModelAgent, task: ModelTask, requests: talks.ModelRequest[], order: number): void {
  closeAndGoOn(agent, task, { requests, state: 'withdrawn' }, order);
}

function closeAndGoOn(agent: ModelAgent, task: ModelTask, closing: Parameters<typeof close>[2], order: number): void {
  const { events } = agent;
  close(agent, task, closing);
  const last = events.at(-1);
  goOn(agent, task, order, () => {
    if (last && closing.requests.length > 0) last.status = task.status;
  });
}

/** The first open request has expired. */
function expireRequest(agent: ModelAgent, task: ModelTask, order: number): void {
  const [request] = talks.openOf(task.talk);
  if (!request) return;
  const expired = { requests: [request], state: 'expired' as const };
  if (request.hasDefault) {
    request.answer = talks.DEFAULT;
    talks.tell(task.talk, request, task.lease !== null);
    closeAndGoOn(agent, task, expired, order);
    return;
  }
  close(agent, task, expired);
  const error = { code: 'input_expired', message: 'Nobody has answered in time', retryable: false };
  if (task.lease) endAttempt(task, 'failed', error);
  end(agent, task, 'failed', { error }, 'error');
}

export function applyPersonalDeadline(
  agent: ModelAgent,
  task: ModelTask,
  { what, order }: { what: 'request' | 'interruption'; order: number },
): void {
  if (what === 'request' && task.status === 'input_required') expireRequest(agent, task, order);
  if (what === 'interruption' && task.status === 'running' && task.talk.isInterrupted) interrupted(agent, task);
}

/** A task with nothing open runs again, or waits for its next attempt. `tell` adds the events of the change. */
function goOn(agent: ModelAgent, task: ModelTask, order: number, tellEvents: () => void): void {
  const { status, talk } = task;
  if (status === 'input_required' && talks.openOf(talk).length === 0) {
    task.version += 1;
    task.status = task.lease ? 'running' : 'pending';
    if (!task.lease) Object.assign(task, { reservedFor: talk.suspended?.worker, reserved: true, order, due: null });
  }
  tellEvents();
  if (task.status !== status) updateAgentStatus(agent, 'idle');
}

/** The worker stops, and the task goes on waiting without it. */
export function suspend(agent: ModelAgent, task: ModelTask): void {
  if (task.cancelRequest) {
    endCancelled(agent, task, 'suspended', null);
    return;
  }
  const worker = task.worker as string;
  talks.suspendTalk(task.talk, worker, task.lease?.hasBegun === true);
  endAttempt(task, 'suspended', null);
  const cost = costOf(task);
  Object.assign(task, { cost, attempt: task.attempt - 1, lease: null, progress: null, worker: null });
  changed(agent, task, 'task.suspended', { worker_id: worker });
}

export function requestInterruption({ talk }: ModelTask): void {
  if (talk.isInterrupted) return;
  talk.isInterrupted = true;
  talks.addItem(talk, { type: 'interrupt' });
}

/** A person says something. One who interrupts a suspended task answers nothing any more. */
export function say(
  agent: ModelAgent,
  task: ModelTask,
  { id, text, mode, order }: { id: string; text: string; mode: string; order: number },
): void {
  const { lease, talk } = task;
  const isQueued = lease && mode !== 'queue' && !lease.accepts.includes(mode);
  talk.messages.push({ id, text, mode, state: 'queued', as: isQueued ? 'queue' : null });
  talks.addItem(talk, { type: 'message', text, mode: isQueued ? 'queue' : mode });
  task.log.push(`message ${text}`);
  if (mode === 'interrupt' && !lease) withdraw(agent, task, talks.openOf(talk), order);
}

/** The worker says what became of a message. */
export function takeMessage(
  agent: ModelAgent,
  task: ModelTask,
  { id, state, as, order }: { id: string; state: 'delivered' | 'dropped'; as: string | null; order: number },
): void {
  const { talk } = task;
  const message = talk.messages.find((one) => one.id === id && one.state === 'queued');
  if (!message) return;
  Object.assign(message, { state, as: state === 'delivered' ? as : null });
  talk.inbox = talk.inbox.filter((item) => item.type !== 'message' || item.text !== message.text);
  if (state === 'delivered' && as === 'interrupt') withdraw(agent, task, talks.openOf(talk), order);
}

/** Sets the agent's status after a task has started or stopped running. */
function updateAgentStatus(agent: ModelAgent, rest: string): void {
  const has = (wanted: string) => agent.tasks.some((task) => task.status === wanted);
  const status = has('running') ? 'active' : has('input_required') ? 'waiting' : rest;
  if (status === agent.status) return;
  agent.status = status;
  agent.events.push({ type: 'agent.status', status });
}
