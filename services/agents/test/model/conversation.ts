import { close, end, endAttempt, endCancelled, requestCancel } from './ends.ts';
import { addEvent, changed, costOf, type ModelAgent, type ModelTask, updateAgentStatus } from './entities.ts';
import * as talks from './talk.ts';

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

/** An open request has expired. */
function expireRequest(agent: ModelAgent, task: ModelTask, order: number): void {
  const request = talks.openOf(task.talk).find(({ isOverdue }) => isOverdue);
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
  if (task.lease) endAttempt(agent, task, 'failed', error);
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
  endAttempt(agent, task, 'suspended', null);
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
