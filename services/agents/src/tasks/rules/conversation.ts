import type { EventType } from '../../events/event.ts';

/** An input request that nobody has answered. */
interface OpenRequest {
  id: string;
  /** Its key; those of interruptions begin with `INTERRUPTION`. */
  key: string;
  kind: string;
  /** In ms. */
  expiresAt: number;
  /** Whether it has an answer for that time; else the task fails then. */
  hasDefault: boolean;
}

export type Mode = 'queue' | 'steer' | 'interrupt';

/** An item of the inbox, without its number. */
type NewItem =
  | { type: 'answer'; request: string; kind: string }
  | { type: 'message'; message: string; mode: Mode }
  | { type: 'interrupt' }
  | { type: 'cancel'; reason: string | null };

/** An item for the worker that it has not acknowledged. */
type Item = NewItem & { n: number };

/** What the next attempt goes on with. */
interface Suspended {
  workerId: string;
  /** Whether only this worker has the session. */
  isBound: boolean;
  /** Requests that were answered since, for the next attempt. */
  answers: { id: string; kind: string }[];
}

/** What people and the worker of a task say to each other, as far as rules need it; the texts are stored apart. */
export interface Conversation {
  /** Input requests in the life of the task. */
  requests: number;
  open: OpenRequest[];
  /** Messages in the life of the task. */
  messages: number;
  /** Those that no agent has taken, oldest first, with how they are to be delivered. */
  undelivered: { id: string; mode: Mode }[];
  /** Number of the last item of the inbox. */
  last: number;
  inbox: Item[];
  interruptions: number;
  /** When a person has asked for an interruption that has not happened yet, in ms. */
  interruptedAt?: number | undefined;
  suspended?: Suspended | undefined;
}

export const NO_CONVERSATION: Conversation = {
  requests: 0,
  open: [],
  messages: 0,
  undelivered: [],
  last: 0,
  inbox: [],
  interruptions: 0,
};

/** The end of a request or a message as it is stored beside its record. */
interface Closed {
  id: string;
  kind: string;
  state: 'answered' | 'expired' | 'withdrawn';
  record: string;
}

/** An entry that the service writes to the log. */
interface ServiceEntry {
  type: 'input' | 'message';
  data: Record<string, unknown>;
}

/** What a change of a task writes beside it, in the same script (includes/conversations.lua). Records are JSON. */
export interface ConversationWrites {
  /** `named`: the id and the digest of what the worker has sent, by the key. */
  opened?: { id: string; kind: string; key: string; named: string; record: string };
  closed?: Closed[];
  sent?: { id: string; record: string };
  taken?: { id: string; record: string }[];
  entries?: ServiceEntry[];
  /** Replaces what the next attempt goes on with; null: nothing. */
  suspension?: { session: string; data: string; state: string } | null;
  /** Wakes the worker that waits for its inbox. */
  hasItems?: boolean;
}

export interface TaskEvent {
  type: EventType;
  data?: Record<string, unknown> | undefined;
}

/** A changed conversation, and what follows from it. */
export interface Talk {
  conversation: Conversation;
  writes: ConversationWrites;
  events: TaskEvent[];
}

/** Adds an item to the inbox. */
export function addItem(conversation: Conversation, item: NewItem): Conversation {
  const n = conversation.last + 1;
  return { ...conversation, last: n, inbox: [...conversation.inbox, { ...item, n }] };
}

/** Closes open requests without an answer. */
export function close(talk: Talk, ids: readonly string[], state: 'withdrawn' | 'expired', now: number): Talk {
  const { conversation, writes, events } = talk;
  const closing = conversation.open.filter(({ id }) => ids.includes(id));
  if (closing.length === 0) return talk;
  const record = JSON.stringify({ state, at: new Date(now).toISOString() });
  return {
    conversation: { ...conversation, open: conversation.open.filter((request) => !closing.includes(request)) },
    writes: merge(writes, {
      closed: closing.map(({ id, kind }) => ({ id, kind, state, record })),
      entries: closing.map(({ id }) => ({ type: 'input', data: { request_id: id, state } })),
    }),
    events: [
      ...events,
      ...closing.map(({ id }) => ({ type: `task.input_${state}`, data: { request_id: id } }) as const),
    ],
  };
}

export function withdrawAll(talk: Talk, now: number): Talk {
  const ids = talk.conversation.open.map(({ id }) => id);
  return close(talk, ids, 'withdrawn', now);
}

/** At the end of a task, nothing is open and nothing waits any more. */
export function endTalk(conversation: Conversation, now: number): Talk {
  const { undelivered } = conversation;
  const talk = withdrawAll({ conversation, writes: {}, events: [] }, now);
  const record = JSON.stringify({ state: 'dropped', delivered_as: null, delivered_at: null });
  const taken = undelivered.map(({ id }) => ({ id, record }));
  return {
    ...talk,
    conversation: { ...talk.conversation, undelivered: [], inbox: [], interruptedAt: undefined, suspended: undefined },
    writes: merge(talk.writes, { taken, suspension: null, hasItems: true }),
  };
}

/**
 * When an attempt ends and another one follows, what was not delivered waits again, also an interruption. `hasBegun`:
 * the attempt has sent a heartbeat, so that it may have used the approvals it began with, which must not be used twice.
 */
export function requeue(conversation: Conversation, hasBegun: boolean): Conversation {
  const { undelivered, inbox, suspended } = conversation;
  const answers = inbox.filter((item) => item.type === 'answer');
  let next: Conversation = { ...conversation, inbox: [] };
  if (suspended && hasBegun) {
    const kept = suspended.answers.filter(({ kind }) => kind !== 'approval');
    next.suspended = { ...suspended, answers: kept };
  }
  for (const { n: _, ...item } of answers) next = addItem(next, item);
  for (const { id, mode } of undelivered) next = addItem(next, { type: 'message', message: id, mode });
  return next.interruptedAt === undefined ? next : addItem(next, { type: 'interrupt' });
}

/** The conversation of a task that goes on without this worker; answers that it has not read are for the next. */
export function toSuspended(requeued = NO_CONVERSATION, workerId: string, isBound: boolean): Conversation {
  const { suspended, inbox } = requeued;
  const unread = inbox.flatMap((item) => (item.type === 'answer' ? [{ id: item.request, kind: item.kind }] : []));
  const answers = [...(suspended?.answers ?? []), ...unread];
  return {
    ...requeued,
    inbox: inbox.filter(({ type }) => type !== 'answer'),
    suspended: { workerId, isBound, answers },
  };
}

/** The writes of both. */
export function merge(one: ConversationWrites, other: ConversationWrites): ConversationWrites {
  const lists = (['closed', 'taken', 'entries'] as const).map((name) => [
    name,
    [...(one[name] ?? []), ...(other[name] ?? [])],
  ]);
  return { ...one, ...other, ...Object.fromEntries(lists) };
}
