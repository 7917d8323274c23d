import { type components, type Event, FleetError, type Task } from '@agent-fleet/sdk';
import { useGet } from '../../api/use-get.ts';
import type { Query } from '../../api/use-query.ts';
import type { Message } from '../../conversations/entry.tsx';
import type { InputRequest } from '../../frame/open-requests.ts';
import { isEnded } from '../../tasks/task-rows.ts';
import type { Waiting } from '../../tasks/waiting.ts';
import type { TaskKey } from './task-record.ts';

/** Workers that come or go cause no event. */
const WAITING_EVERY_MS = 10_000;
const LEAVES_ATTEMPTS = new Set<string>(['task.replaced', 'task.cancel_requested', 'task.deleted']);
const TASK = '/agents/{agent_id}/tasks/{task_id}';

const MESSAGES_EVERY_MS = 5_000;
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
export function useTask({ agentId, taskId }: TaskKey): TaskData {
  const path = { agent_id: agentId, task_id: taskId };
  const isOfTask = (event: Event) => event.task_id === taskId;
  const isOfAgent = ({ type, agent_id }: Event) => type === 'agent.deleted' && agent_id === agentId;
  const task = useGet(TASK, { path }, { reloadOn: (event) => isOfTask(event) || isOfAgent(event) });
  const attempts = useGet(
    `${TASK}/attempts`,
    { path },
    { reloadOn: (event) => isOfTask(event) && !LEAVES_ATTEMPTS.has(event.type) },
  );
  const ofTask = { reloadOn: isOfTask };
  const requests = useGet(`${TASK}/input-requests`, { path, query: NEWEST }, ofTask);
  // No event says that a worker has taken one.
  const everyMs = task.data && isEnded(task.data.status) ? undefined : MESSAGES_EVERY_MS;
  const messages = useGet(`${TASK}/messages`, { path, query: NEWEST }, { ...ofTask, everyMs });
  const isOfThread = ({ type, agent_id }: Event) =>
    type.startsWith('task.') && type !== 'task.progress' && agent_id === agentId;
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
    waiting: useWaiting({ agentId, taskId }, task.data?.status === 'pending' && !isGone),
    reload() {
      task.reload();
      attempts.reload();
      requests.reload();
      messages.reload();
    },
  };
}

/** Events of the agent's other tasks change how many go before. */
function useWaiting({ agentId, taskId }: TaskKey, isPending: boolean): Query<Waiting> {
  const path = { agent_id: agentId, task_id: taskId };
  return useGet(`${TASK}/waiting`, isPending ? { path } : null, {
    reloadOn: ({ agent_id, task_id, type }) =>
      agent_id === agentId && type !== 'task.progress' && (type !== 'task.deleted' || task_id !== taskId),
    minIntervalMs: 2_000,
    everyMs: WAITING_EVERY_MS,
  });
}
