import { addUsed } from '../../agent-work/used.ts';
import {
  addItem,
  type Conversation,
  close,
  type Mode,
  merge,
  NO_CONVERSATION,
  requeue,
  type Talk,
  toSuspended,
  withdrawAll,
} from './conversation.ts';
import { toInterruption } from './interruption.ts';
import {
  BOUND_RESERVATION_MS,
  type Lease,
  next,
  RESERVATION_MS,
  type TaskState,
  type TaskWithState,
  toTime,
} from './task-state.ts';
import { cancelRunning, end, type Suspension, type TaskChange, toAttempt } from './task-transitions.ts';

/** How long a worker has to confirm an interruption. */
export const INTERRUPTION_MS = 5_000;

/** A request as a worker asks it; `record` is its JSON. */
interface NewRequest {
  id: string;
  key: string;
  kind: string;
  title: string;
  expiresAt: number;
  hasDefault: boolean;
  /** Of what the worker has sent; '' for an interruption. */
  digest?: string;
  record: string;
}

/** Null for a request that is not from the gateway. */
export type Person = { id: string; name: string } | null;

const conversationOf = ({ conversation = NO_CONVERSATION }: TaskState): Conversation => conversation;

const talkOf = (state: TaskState): Talk => ({ conversation: conversationOf(state), writes: {}, events: [] });

/** running → input_required, or one more request. The clock of the attempt stands still. */
export function openRequest({ task, state }: TaskWithState, request: NewRequest, now: number): TaskChange {
  const { id, key, kind, title, expiresAt, hasDefault, digest = '', record } = request;
  const conversation = conversationOf(state);
  const lease = state.lease && { ...state.lease, pausedAt: state.lease.pausedAt ?? now };
  return {
    ...(task.status === 'running' && { task: { ...task, status: 'input_required', updated_at: toTime(now) } }),
    state: next(state, {
      lease,
      conversation: {
        ...conversation,
        requests: conversation.requests + 1,
        open: [...conversation.open, { id, key, kind, expiresAt, hasDefault }],
      },
    }),
    event: { type: 'task.input_required', data: { request_id: id, kind, title } },
    writes: {
      opened: { id, key, kind, named: `${id} ${digest}`, record },
      entries: [{ type: 'input', data: { request_id: id, state: 'open' } }],
    },
  };
}

/** Closes an open request by its answer, whose JSON `record` is. `by`: who answers, for the events. */
export function answer(
  stored: TaskWithState,
  { id, record, by }: { id: string; record: string; by: Person },
  now: number,
): TaskChange {
  const { state } = stored;
  const conversation = conversationOf(state);
  const request = conversation.open.find((one) => one.id === id) as Conversation['open'][number];
  const { kind } = request;
  const talk: Talk = {
    conversation: tell({ ...conversation, open: conversation.open.filter((one) => one !== request) }, state, request),
    writes: {
      closed: [{ id, kind, state: 'answered', record }],
      entries: [{ type: 'input', data: { request_id: id, state: 'answered' } }],
      hasItems: true,
    },
    events: [{ type: 'task.input_answered', data: { request_id: id, by } }],
  };
  return goOn(stored, talk, now);
}

/** A worker, or the next attempt, gets the answer. */
function tell(conversation: Conversation, { lease }: TaskState, { id, kind }: { id: string; kind: string }) {
  const { suspended } = conversation;
  if (lease || !suspended) return addItem(conversation, { type: 'answer', request: id, kind });
  return { ...conversation, suspended: { ...suspended, answers: [...suspended.answers, { id, kind }] } };
}

/** Withdraws an open request for the worker that has asked it. */
export function withdraw(stored: TaskWithState, id: string, now: number): TaskChange {
  return goOn(stored, close(talkOf(stored.state), [id], 'withdrawn', now), now);
}

/** A request has expired: its default is the answer, or the task fails. */
export function expire(stored: TaskWithState, now: number): TaskChange | undefined {
  const { state } = stored;
  const conversation = conversationOf(state);
  const expired = conversation.open.find(({ expiresAt }) => expiresAt <= now);
  if (!expired) return undefined;
  const talk = close(talkOf(state), [expired.id], 'expired', now);
  if (expired.hasDefault) {
    const told = tell(talk.conversation, state, expired);
    return goOn(stored, { ...talk, conversation: told, writes: { ...talk.writes, hasItems: true } }, now);
  }
  const error = { code: 'input_expired', message: 'Nobody has answered in time', retryable: false };
  const attempt = state.lease ? toAttempt(stored, 'failed', error, now) : undefined;
  const after = { ...stored, state: { ...state, conversation: talk.conversation } };
  return join(talk, end(after, 'failed', now, { error, attempt, agentStatus: 'error' }));
}

/** input_required → running, or → pending if no worker has it, as soon as nothing is open. */
function goOn({ task, state }: TaskWithState, talk: Talk, now: number): TaskChange {
  const { conversation, writes, events } = talk;
  const earlier = events.slice(0, -1);
  const change = { earlier, event: events.at(-1), writes };
  const changed = next(state, { conversation });
  if (task.status !== 'input_required' || conversation.open.length > 0) return { ...change, state: changed };
  const running = { ...task, status: 'running' as const, updated_at: toTime(now) };
  if (state.lease) return { ...change, task: running, state: { ...changed, lease: restartClock(state.lease, now) } };
  const { workerId, isBound } = conversation.suspended as NonNullable<Conversation['suspended']>;
  const until = now + (isBound ? BOUND_RESERVATION_MS : RESERVATION_MS);
  const pending = { ...running, status: 'pending' as const, next_attempt_at: null };
  return { ...change, task: pending, state: { ...changed, reservation: { workerId, until } } };
}

function restartClock({ pausedAt = 0, ...lease }: Lease, now: number): Lease {
  const deadline = lease.deadline + (now - pausedAt);
  return { ...lease, deadline, expiresAt: Math.min(lease.expiresAt, deadline) };
}

/** The change of an end, after what has led to it. */
function join({ writes, events }: Talk, change: TaskChange): TaskChange {
  return {
    ...change,
    earlier: [...events, ...(change.earlier ?? [])],
    writes: merge(writes, change.writes ?? {}),
  };
}

/** Answers the question of an interruption by stopping the task: `cancel` is the rule. */
export function answerAndCancel(
  stored: TaskWithState,
  answered: Parameters<typeof answer>[1],
  now: number,
  cancel: (stored: TaskWithState, now: number) => TaskChange | undefined,
): TaskChange {
  const { state, task = stored.task, event, earlier = [], writes = {} } = answer(stored, answered, now);
  const cancelled = cancel({ task, state: state as TaskState }, now);
  if (!cancelled) return { state, task, event, earlier, writes };
  const events = event ? [...earlier, event] : [...earlier];
  const { conversation } = state as Required<TaskState>;
  return { task, ...join({ conversation: conversation as Conversation, writes, events }, cancelled) };
}

/**
 * The worker stops, and the task goes on waiting without it; the attempt does not count. `digest`: of what the worker
 * has sent; '' when it has sent nothing.
 */
export function suspend(stored: TaskWithState, suspension: Suspension, now: number, digest = ''): TaskChange {
  const { task, state } = stored;
  if (task.cancel_requested_at !== null) return cancelRunning(stored, 'suspended', now);
  const { number, token, workerId, heartbeatAt, used } = state.lease as Lease;
  const requeued = requeue(conversationOf(state), heartbeatAt !== undefined);
  const conversation = toSuspended(requeued, workerId, suspension.isBound);
  return {
    task: {
      ...task,
      ...addUsed(task, used),
      attempt: task.attempt - 1,
      progress: null,
      worker_id: null,
      started_at: null,
      updated_at: toTime(now),
    },
    state: next(state, { lease: null, conversation, ...(digest && { reported: { lease: number, token, digest } }) }),
    attempt: toAttempt(stored, 'suspended', null, now),
    used,
    event: { type: 'task.suspended', data: { worker_id: workerId } },
    writes: { suspension },
  };
}

export const WITHOUT_SESSION: Suspension = { isBound: false, session: '', data: '', state: '' };

/** A message of a person. One that interrupts a suspended task needs no answer any more. */
export function addMessage(
  stored: TaskWithState,
  { id, mode, by, text, record }: { id: string; mode: Mode; by: Person; text: string; record: string },
  now: number,
): TaskChange {
  const conversation = conversationOf(stored.state);
  const added = addItem(conversation, { type: 'message', message: id, mode });
  const talk: Talk = {
    conversation: {
      ...added,
      messages: conversation.messages + 1,
      undelivered: [...conversation.undelivered, { id, mode }],
    },
    writes: { sent: { id, record }, entries: [{ type: 'message', data: { id, by, text } }], hasItems: true },
    events: [],
  };
  const isInterrupting = mode === 'interrupt' && !stored.state.lease;
  return goOn(stored, isInterrupting ? withdrawAll(talk, now) : talk, now);
}

/** The worker says what became of a message; one that has interrupted a turn withdraws its requests. */
export function takeMessage(
  stored: TaskWithState,
  { id, record, isInterrupt }: { id: string; record: string; isInterrupt: boolean },
  now: number,
): TaskChange {
  const conversation = conversationOf(stored.state);
  const talk: Talk = {
    conversation: {
      ...conversation,
      undelivered: conversation.undelivered.filter((message) => message.id !== id),
      inbox: conversation.inbox.filter((item) => item.type !== 'message' || item.message !== id),
    },
    writes: { taken: [{ id, record }] },
    events: [],
  };
  return goOn(stored, isInterrupt ? withdrawAll(talk, now) : talk, now);
}

/** A person asks a running task to stop its turn. */
export function requestInterruption({ state }: TaskWithState, now: number): TaskChange {
  const conversation = addItem({ ...conversationOf(state), interruptedAt: now }, { type: 'interrupt' });
  return { state: next(state, { conversation }), writes: { hasItems: true } };
}

/** The turn has stopped, or the worker has had its time: a person is asked what now. */
export function openInterruption({ task, state }: TaskWithState, now: number): TaskChange {
  const { interruptions, ...conversation } = conversationOf(state);
  const number = interruptions + 1;
  const counted = { ...conversation, interruptions: number, interruptedAt: undefined };
  const asked = { task, state: { ...state, conversation: counted } };
  return openRequest(asked, toInterruption(task, number, now), now);
}

/** The worker has all items up to this number. */
export function acknowledge({ state }: TaskWithState, after: number): TaskChange | undefined {
  const conversation = conversationOf(state);
  const inbox = conversation.inbox.filter(({ n }) => n > after);
  if (inbox.length === conversation.inbox.length) return undefined;
  return { state: next(state, { conversation: { ...conversation, inbox } }) };
}
