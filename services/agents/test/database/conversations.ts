import type { Keys } from '../../src/redis/keys.ts';
import { isEnded, type Records, type StoredTask } from './records.ts';
import type { Snapshot } from './snapshot.ts';

const MAX_CONTINUATIONS = 100;

interface StoredRequest {
  id: string;
  task_id: string;
  kind: string;
  key: string;
  default: unknown;
}

/** Compares what is stored of requests, messages and suspensions with the states of tasks, and with their events. */
export function conversationProblems(snapshot: Snapshot, records: Records): string[] {
  const { requests, messages, suspensions, suspended } = snapshot;
  const waiting = new Set([...records.tasks].filter(([, task]) => isSuspended(task)).map(([id]) => id));
  return [
    ...[requests, messages, suspensions].flatMap((hashes) =>
      [...hashes.keys()].filter((id) => !records.tasks.has(id)).map((id) => `task ${id} has left a conversation`),
    ),
    ...[...suspended.symmetricDifference(waiting)].map((id) => `task ${id} is, or is not, suspended`),
    ...[...records.tasks].flatMap(([id, task]) => taskProblems(id, task, snapshot)),
    ...storyProblems(snapshot, records),
    ...threadProblems(records),
  ];
}

const isSuspended = ({ record, state }: StoredTask) => record.status === 'input_required' && !state?.lease;

/** The indexes of the input requests of a task, by index, with their members. */
export function requestIndexes(
  { requests }: Snapshot,
  { task, agent, type, keys }: { task: string; agent: string; type: string; keys: Keys },
): [key: string, member: string][] {
  return requestsOf(requests.get(task)).flatMap(({ id, kind, state }) =>
    [{}, { agent }, { type }, { agent, type }].flatMap((scope) =>
      [undefined, kind].map((one): [string, string] => [
        keys.inputRequests({ ...scope, kind: one, state }),
        `${id}:${task}`,
      ]),
    ),
  );
}

function requestsOf(fields: Record<string, string> = {}) {
  return idsOf(fields).map((id) => {
    const end = fields[`end:${id}`];
    const { state } = JSON.parse(end ?? '{"state":"open"}') as { state: string };
    return { ...(JSON.parse(fields[id] as string) as StoredRequest), id, state };
  });
}

const idsOf = (fields: Record<string, string>) => Object.keys(fields).filter((field) => !field.includes(':'));

function taskProblems(id: string, task: StoredTask, snapshot: Snapshot): string[] {
  const { record, state } = task;
  const conversation = state?.conversation;
  const fields = snapshot.requests.get(id) ?? {};
  const requests = requestsOf(fields);
  const texts = snapshot.messages.get(id) ?? {};
  const messages = idsOf(texts);
  const { open = [], undelivered = [], inbox = [], last = 0, suspended } = conversation ?? {};
  const told = [...inbox.flatMap((item) => (item.type === 'answer' ? [item.request] : [])), ...answersOf(suspended)];
  const unread = inbox.flatMap((item) => (item.type === 'message' ? [item.message] : []));
  const sorted = (ids: readonly string[]) => [...ids].sort().join();
  const closed = requests.filter(
    ({ state: one, default: given }) => one === 'answered' || (one === 'expired' && given),
  );
  const rules: [boolean, string][] = [
    [requests.length === (conversation?.requests ?? 0), 'counts its requests'],
    [
      sorted(requests.flatMap((one) => (one.state === 'open' ? [one.id] : []))) === sorted(open.map((one) => one.id)),
      'knows what is open',
    ],
    [requests.every((one) => fields[`in:${one.id}`] === `${one.kind} ${one.state}`), 'has its requests in indexes'],
    [requests.every((one) => fields[`key:${one.key}`]?.startsWith(`${one.id} `) ?? false), 'finds requests by key'],
    [requests.every(({ task_id }) => task_id === id), 'has asked its requests'],
    [Object.keys(fields).filter((field) => !field.startsWith('end:')).length === 3 * requests.length, 'has no more'],
    [messages.length === (conversation?.messages ?? 0), 'counts its messages'],
    [
      sorted(messages.filter((one) => !texts[`end:${one}`])) === sorted(undelivered.map((one) => one.id)),
      'knows what is not delivered',
    ],
    [(record.status === 'input_required') === open.length > 0, 'waits if something is open'],
    [!isEnded(task) || undelivered.length + inbox.length === 0, 'has nothing to say after its end'],
    [inbox.every(({ n }, at) => n <= last && n > (inbox[at - 1]?.n ?? 0)), 'numbers its inbox'],
    [new Set(told).size === told.length, 'has each answer once'],
    [told.every((one) => closed.some((request) => request.id === one)), 'has answers to answered requests'],
    [unread.every((one) => undelivered.some((message) => message.id === one)), 'has only undelivered messages to read'],
    [(suspended !== undefined) === snapshot.suspensions.has(id), 'has what it goes on with'],
    [!isSuspended(task) || suspended !== undefined, 'is suspended with a worker'],
  ];
  return rules.filter(([holds]) => !holds).map(([, rule]) => `task ${id}, ${record.status}: not that it ${rule}`);
}

const answersOf = (suspended?: { answers: { id: string }[] }) => suspended?.answers.map(({ id }) => id) ?? [];

/** The events of a task tell what is open: each request is opened once, and closed once. */
function storyProblems({ fleetEvents }: Snapshot, { tasks }: Records): string[] {
  if ((fleetEvents[0]?.number ?? 1) > 1) return [];
  const problems: string[] = [];
  const open = new Map<string, Set<string>>();
  for (const { t, y, d } of fleetEvents) {
    const [, what] = /^task\.input_(.+)$/.exec(String(y)) ?? [];
    if (what === undefined) continue;
    const { request_id } = JSON.parse(String(d)) as { request_id: string };
    const of = open.get(String(t)) ?? new Set<string>();
    open.set(String(t), of);
    if (of.has(request_id) === (what === 'required')) problems.push(`request ${request_id} of ${t}: ${y}, again`);
    if (what === 'required') of.add(request_id);
    else of.delete(request_id);
  }
  for (const [id, { state }] of tasks) {
    const expected = new Set(state?.conversation?.open.map((one) => one.id));
    const left = expected.symmetricDifference(open.get(id) ?? new Set());
    if (left.size > 0) problems.push(`the events of ${id} do not tell of ${[...left]}`);
  }
  return problems;
}

/** An ended task names those that continue it. */
function threadProblems({ tasks }: Records): string[] {
  return [...tasks].flatMap(([id, { record }]) => {
    const prior = tasks.get(record.continue_of ?? '')?.record;
    const { continued_by = [] } = prior ?? {};
    if (!prior || continued_by.includes(id) || continued_by.length >= MAX_CONTINUATIONS) return [];
    return [`task ${prior.id} does not name ${id}, which continues it`];
  });
}
