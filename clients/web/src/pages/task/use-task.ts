import { type components, type Event, FleetError, type Task } from '@agent-fleet/sdk';
import { useEffect, useState } from 'preact/hooks';
import { useGet } from '../../api/use-get.ts';
import type { Query } from '../../api/use-query.ts';
import type { Message } from '../../conversations/entry.tsx';
import type { InputRequest } from '../../frame/open-requests.ts';
import type { Waiting } from '../../tasks/waiting.ts';
import type { TaskPath } from './task-record.ts';

/** Workers that come or go cause no event. */
const WAITING_EVERY_MS = 10_000;
const LEAVES_ATTEMPTS = new Set<string>(['task.replaced', 'task.cancel_requested', 'task.deleted']);
const TASK = '/agents/{agent_id}/tasks/{task_id}';

/** No event says that a worker has taken a message. */
const UNREAD_EVERY_MS = 5_000;
const NEWEST = { order: 'desc', limit: 100 } as const;
const THREAD = { fields: 'agent_id,message,status,result,error,created_at,created_by' } as const;

type Attempt = components['schemas']['Attempt'];

/** What the page knows of a task. */
export interface TaskData {
  /** Undefined while it is on its way; what is known of a task that has been deleted stays. */
  record: Task | undefined;
  /** Whether there is no such task, or no longer. */
  isGone: boolean;
  /** Why the record is not there, or is not brought up to date. */
  error: unknown;
  attempts: Query<Attempt[]>;
  waiting: Query<Waiting>;
  /** The tasks that it continues and that continue it, itself too; what was asked and said, newest first. */
  thread: Query<Task[]>;
  requests: Query<InputRequest[]>;
  messages: Query<Message[]>;
  reload: () => void;
}

/** A task and what belongs to it, loaded again after its events. */
export function useTask(path: TaskPath): TaskData {
  const isOfTask = (event: Event) => event.task_id === path.task_id;
  const isOfAgent = ({ type, agent_id }: Event) => type === 'agent.deleted' && agent_id === path.agent_id;
  const task = useGet(TASK, { path }, { reloadOn: (event) => isOfTask(event) || isOfAgent(event) });
  const attempts = useGet(
    `${TASK}/attempts`,
    { path },
    { reloadOn: (event) => isOfTask(event) && !LEAVES_ATTEMPTS.has(event.type) },
  );
  const ofTask = { reloadOn: isOfTask };
  const requests = useGet(`${TASK}/input-requests`, { path, query: NEWEST }, ofTask);
  const [isUnread, setUnread] = useState(false);
  const everyMs = isUnread ? UNREAD_EVERY_MS : undefined;
  const messages = useGet(`${TASK}/messages`, { path, query: NEWEST }, { ...ofTask, everyMs });
  useEffect(
    () => setUnread(messages.data?.some(({ state }) => state === 'queued' || state === 'received') === true),
    [messages.data],
  );
  const isOfThread = ({ type, agent_id }: Event) =>
    type.startsWith('task.') && type !== 'task.progress' && agent_id === path.agent_id;
  const thread = useGet(`${TASK}/thread`, { path, query: THREAD }, { reloadOn: isOfThread, minIntervalMs: 5_000 });
  const isGone = task.error instanceof FleetError && task.error.status === 404;
  return {
    record: task.data,
    isGone,
    error: isGone ? undefined : task.error,
    attempts,
    thread,
    requests,
    messages,
    waiting: useWaiting(path, task.data?.status === 'pending' && !isGone),
    reload() {
      task.reload();
      attempts.reload();
      requests.reload();
      messages.reload();
    },
  };
}

/** Events of the agent's other tasks change how many go before. */
function useWaiting(path: TaskPath, isPending: boolean): Query<Waiting> {
  return useGet(`${TASK}/waiting`, isPending ? { path } : null, {
    reloadOn: ({ agent_id, task_id, type }) =>
      agent_id === path.agent_id && type !== 'task.progress' && (type !== 'task.deleted' || task_id !== path.task_id),
    minIntervalMs: 2_000,
    everyMs: WAITING_EVERY_MS,
  });
}
