import { isDeepStrictEqual } from 'node:util';
import { isEnded, type ModelAgent, type ModelTask, tagsOf } from './entities.ts';
import type { Replicas } from './replicas.ts';
import { INTERRUPTION, messagesView, requestsView, toAnswer } from './talk.ts';

type Record_ = Record<string, unknown>;

/** A served agent with its tasks and events; undefined when it does not exist. */
export interface Seen {
  agent: Record_;
  /** Undefined when it is not paused. */
  pause: Record_ | undefined;
  tasks: Record_[];
  /** Texts of the logs, and the service's entries, in the order of the tasks. */
  logs: string[][];
  /** Requests and messages of the tasks that have any. */
  requests: object[][];
  messages: object[][];
  total: number | undefined;
  events: Record_[];
}

export async function observe({ send }: Replicas, agentId: string): Promise<Seen | undefined> {
  const agent = await send<Record_>(0, { method: 'GET', path: `/agents/${agentId}` });
  if (agent.status === 404) return undefined;
  const [pause, tasks, events] = await Promise.all([
    send<Record_>(1, { method: 'GET', path: `/agents/${agentId}/pause` }),
    send<Record_[]>(1, { method: 'GET', path: `/agents/${agentId}/tasks?limit=1000` }),
    send<Record_[]>(0, { method: 'GET', path: `/agents/${agentId}/events?limit=1000` }),
  ]);
  const keys = keysOf(events.body);
  const logs = await Promise.all(
    tasks.body.map(async ({ id }) => {
      const path = `/agents/${agentId}/tasks/${id}/log-entries?limit=1000`;
      return (await send<LogEntry[]>(1, { method: 'GET', path })).body.map((entry) => entryView(entry, keys));
    }),
  );
  const listOf = (what: string, start: string) =>
    Promise.all(
      tasks.body.map(async ({ id }, at) => {
        if (!logs[at]?.some((text) => text.startsWith(start))) return [];
        const path = `/agents/${agentId}/tasks/${id}/${what}?limit=1000`;
        return (await send<Listed[]>(0, { method: 'GET', path })).body;
      }),
    );
  const [requests, messages] = await Promise.all([listOf('input-requests', 'input '), listOf('messages', 'message ')]);
  return {
    agent: agent.body,
    pause: pause.status === 200 ? pause.body : undefined,
    tasks: tasks.body,
    logs,
    requests: requests.map((list) =>
      list.toSorted(byKey).map(({ key, state, answer }) => ({ key, state, answer: toAnswer(answer) })),
    ),
    messages: messages.map((list) =>
      list.map(({ text, mode, state, delivered_as }) => ({ text, mode, state, delivered_as })),
    ),
    total: tasks.total,
    events: events.body.map((event) => eventView(event, keys)),
  };
}

/** Returns the first difference between an agent and its model. */
export function differenceOf(seen: Seen | undefined, model: ModelAgent | undefined): string | undefined {
  if (!model) return 'there is no such agent in the model';
  if (!seen || model.deleted) return !seen && model.deleted ? undefined : 'only one of both has the agent';
  const { created_at, ...agent } = seen.agent;
  const tasks = model.tasks.toSorted((one, other) => (one.id < other.id ? -1 : 1));
  return (
    difference('agent', agent, agentView(model)) ??
    difference('why it is paused', seen.pause?.reason, model.paused?.reason) ??
    difference('whether it is paused', seen.pause !== undefined, model.paused !== undefined) ??
    difference(
      'tasks',
      seen.tasks.map(recordView),
      tasks.map((task) => taskView(model, task)),
    ) ??
    difference(
      'logs',
      seen.logs,
      tasks.map(({ log }) => log),
    ) ??
    difference(
      'requests',
      seen.requests,
      tasks.map(({ talk }) => requestsView(talk)),
    ) ??
    difference(
      'messages',
      seen.messages,
      tasks.map(({ talk, lease }) => messagesView(talk, lease !== null)),
    ) ??
    difference('total', seen.total, tasks.length) ??
    difference(
      'events',
      seen.events,
      model.events.map((event, at) => ({ id: String(at + 1), ...event })),
    )
  );
}

interface LogEntry {
  type: string;
  text: string;
  data: { request_id?: string; state?: string; text?: string } | null;
}

type Listed = Record_ & { key: string; answer: Parameters<typeof toAnswer>[0] };

const byKey = (one: Listed, other: Listed) => (one.key < other.key ? -1 : 1);

/** The keys of requests by id: as they are their titles, but for interruptions, which are numbered. */
function keysOf(events: readonly Record_[]): Map<unknown, string> {
  const keys = new Map<unknown, string>();
  const interruptions = new Map<unknown, number>();
  for (const { type, task_id, data } of events) {
    if (type !== 'task.input_required') continue;
    const { request_id, title } = data as { request_id: string; title: string };
    const number = (interruptions.get(task_id) ?? 0) + 1;
    if (title.startsWith('Interrupted')) interruptions.set(task_id, number);
    keys.set(request_id, title.startsWith('Interrupted') ? `${INTERRUPTION}${number}` : title);
  }
  return keys;
}

/** The texts of a log, and what the service writes: which request, or which message. */
function entryView({ type, text, data }: LogEntry, keys: Map<unknown, string>): string {
  if (type === 'input') return `input ${keys.get(data?.request_id)} ${data?.state}`;
  return type === 'message' ? `message ${data?.text}` : text;
}

function eventView({ agent_id, at, data, ...event }: Record_, keys: Map<unknown, string>): Record_ {
  if (data === undefined) return event;
  const { next_attempt_at, until, request_id, title, by, ...known } = data as Record_;
  return { ...event, data: { ...(request_id !== undefined && { request: keys.get(request_id) }), ...known } };
}

export function difference(what: string, found: unknown, expected: unknown): string | undefined {
  if (isDeepStrictEqual(found, expected)) return undefined;
  if (Array.isArray(found) && Array.isArray(expected) && found.length === expected.length) {
    const at = found.findIndex((one, place) => !isDeepStrictEqual(one, expected[place]));
    return difference(`${what}[${at}]`, found[at], expected[at]);
  }
  return `${what}: found ${JSON.stringify(found)}, expected ${JSON.stringify(expected)}`;
}

/** The fields of a record that the model has. */
export function taskView(agent: ModelAgent, task: ModelTask): object {
  return {
    id: task.id,
    agent_id: agent.id,
    message: task.given.message,
    priority: task.given.priority,
    max_attempts: task.given.max_attempts,
    tags: tagsOf(task),
    max_cost: task.given.max_cost,
    requires: task.given.requires,
    concurrency_key: task.given.concurrency_key,
    agent_version: task.definition?.version ?? null,
    after: null,
    after_failure: null,
    continue_of: task.given.continue_of,
    continued_by: task.continuedBy,
    cost: task.cost,
    status: task.status,
    attempt: task.attempt,
    result: task.result,
    error: task.error,
    progress: task.progress,
    worker_id: task.worker,
    scheduled_at: task.given.scheduled,
    next_attempt_at: task.retries,
    cancel_requested_at: task.cancelRequest !== null && task.status !== 'pending',
    started_at: task.worker !== null,
    completed_at: isEnded(task),
  };
}

export const agentView = ({ id, name, type, status }: ModelAgent) => ({ id, name, type, status });

const TIMES = ['scheduled_at', 'next_attempt_at', 'cancel_requested_at', 'started_at', 'completed_at'];

/** Reduces a record to the fields of the model; of times only whether they are set. */
export function recordView(record: Record<string, unknown>): object {
  const { input, expires_at, timeout_seconds, retry_policy, metadata, retry_of, created_at, updated_at, ...others } =
    record;
  const { skills, workspace, model, output_schema, usage, traceparent, created_by, ...known } = others;
  const times = TIMES.map((name) => [name, record[name] !== null]);
  return { ...known, ...Object.fromEntries(times) };
}
