/** What people and the worker of a task say to each other, in the model. */
export interface Talk {
  requests: ModelRequest[];
  messages: ModelMessage[];
  /** Number of the last item of the inbox. */
  last: number;
  inbox: Item[];
  interruptions: number;
  /** A person has asked for an interruption that has not happened yet. */
  isInterrupted: boolean;
  suspended: { worker: string; answers: string[] } | null;
}

export interface ModelRequest {
  key: string;
  /** Null for an interruption that nobody has answered. */
  id: string | null;
  kind: string;
  hasDefault: boolean;
  state: 'open' | 'answered' | 'expired' | 'withdrawn';
  answer: string | null;
  /** Its time is over, which is not applied yet. */
  isOverdue: boolean;
}

interface ModelMessage {
  id: string;
  text: string;
  mode: string;
  state: 'queued' | 'delivered' | 'dropped';
  as: string | null;
}

type NewItem =
  | { type: 'answer'; key: string }
  | { type: 'message'; text: string; mode: string }
  | { type: 'interrupt' }
  | { type: 'cancel'; reason: string | null };

type Item = NewItem & { n: number };

export const DEFAULT = 'by default';
export const INTERRUPTION = 'interruption:';

export function newTalk(): Talk {
  return { requests: [], messages: [], last: 0, inbox: [], interruptions: 0, isInterrupted: false, suspended: null };
}

export const openOf = ({ requests }: Talk) => requests.filter(({ state }) => state === 'open');
const undeliveredOf = ({ messages }: Talk) => messages.filter(({ state }) => state === 'queued');

/** What a conversation needs of the worker. */
export const needsOf = (talk: Talk) => [
  ...(talk.suspended || talk.isInterrupted ? ['input'] : []),
  ...(undeliveredOf(talk).length > 0 ? ['messages'] : []),
];

export function addItem(talk: Talk, item: NewItem): void {
  talk.last += 1;
  talk.inbox.push({ ...item, n: talk.last });
}

export function addRequest(talk: Talk, request: Pick<ModelRequest, 'key' | 'id' | 'kind' | 'hasDefault'>): void {
  talk.requests.push({ ...request, state: 'open', answer: null, isOverdue: false });
}

/** The worker, or the next attempt, gets the answer. */
export function tell(talk: Talk, { key }: ModelRequest, isHeld: boolean): void {
  if (isHeld || !talk.suspended) addItem(talk, { type: 'answer', key });
  else talk.suspended.answers.push(key);
}

/** What was not delivered waits for the next attempt; approvals that this one may have used do not. */
export function requeue(talk: Talk, hasBegun: boolean): void {
  const answers = talk.inbox.filter((item) => item.type === 'answer');
  talk.inbox = [];
  if (talk.suspended && hasBegun) {
    const isKept = (key: string) => talk.requests.find((request) => request.key === key)?.kind !== 'approval';
    talk.suspended.answers = talk.suspended.answers.filter(isKept);
  }
  for (const { key } of answers) addItem(talk, { type: 'answer', key });
  for (const { text, mode, as } of undeliveredOf(talk)) addItem(talk, { type: 'message', text, mode: as ?? mode });
  if (talk.isInterrupted) addItem(talk, { type: 'interrupt' });
}

/** The worker stops: the next attempt gets the answers when it begins. */
export function suspendTalk(talk: Talk, worker: string, hasBegun: boolean): void {
  requeue(talk, hasBegun);
  const unread = talk.inbox.flatMap((item) => (item.type === 'answer' ? [item.key] : []));
  talk.inbox = talk.inbox.filter(({ type }) => type !== 'answer');
  talk.suspended = { worker, answers: [...(talk.suspended?.answers ?? []), ...unread] };
}

export function endTalk(talk: Talk): void {
  for (const message of undeliveredOf(talk)) Object.assign(message, { state: 'dropped', as: null });
  Object.assign(talk, { inbox: [], isInterrupted: false, suspended: null });
}

/** The default of an approval is to deny. */
export const answerView = ({ kind, answer }: ModelRequest) =>
  answer === DEFAULT && kind === 'approval' ? 'deny' : answer;

const by =
  <Key extends string>(key: Key) =>
  (one: Record<Key, string>, other: Record<Key, string>) =>
    one[key] < other[key] ? -1 : 1;

/** In the order of their keys: that of concurrent requests, as of messages, is not that of their ids. */
export const requestsView = ({ requests }: Talk) =>
  requests
    .toSorted(by('key'))
    .map((request) => ({ key: request.key, state: request.state, answer: answerView(request) }));

export function messagesView({ messages, inbox }: Talk, isHeld: boolean): object[] {
  const unread = inbox.flatMap((item) => (item.type === 'message' ? [item.text] : []));
  return messages.toSorted(by('id')).map(({ text, mode, state, as }) => {
    const isReceived = state === 'queued' && isHeld && !unread.includes(text);
    return { text, mode, state: isReceived ? 'received' : state, delivered_as: as };
  });
}

/** The text or the option of an answer. */
export const toAnswer = (given?: { text: string | null; option_ids: string[] | null } | null) =>
  given ? (given.text ?? given.option_ids?.[0] ?? null) : null;
