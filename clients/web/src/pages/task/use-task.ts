import { type components, type Event, FleetError, type Task } from '@agent-fleet/sdk';
import { useSignalEffect } from '@preact/signals';
import { useEffect, useRef, useState } from 'preact/hooks';
import { live, useLive } from '../../api/live.ts';
import { useGet } from '../../api/use-get.ts';
import type { Query } from '../../api/use-query.ts';
import { recordQuery } from '../../requests/tasks.ts';
import type { Waiting } from '../../tasks/waiting.ts';
import { isPartMissing, type TaskKey } from './task-record.ts';

/** Progress may come with what has been used: attempts are loaded again then, too. */
const MIN_RELOAD_MS = 500;
/** Workers that come or go cause no event. */
const WAITING_EVERY_MS = 10_000;
/** Until the input and the result are there. */
const MISSING_EVERY_MS = 3_000;
const LEAVES_ATTEMPTS = new Set<string>(['task.replaced', 'task.cancel_requested', 'task.deleted']);
const TASK = '/agents/{agent_id}/tasks/{task_id}';

type Attempt = components['schemas']['Attempt'];

/** What the page knows of a task. */
export interface TaskData {
  /** Undefined while it is on its way. */
  record: TaskRecord | undefined;
  /** Whether there is no such task, or no longer. */
  isGone: boolean;
  /** Why the record is not there, or is not brought up to date. */
  error: unknown;
  /** With its input, result and metadata. */
  whole: Query<Task>;
  attempts: Query<Attempt[]>;
  waiting: Query<Waiting>;
  reload: () => void;
}

/** A task and what belongs to it, brought up to date by its events. */
export function useTask({ agentId, taskId }: TaskKey): TaskData {
  const path = { agent_id: agentId, task_id: taskId };
  const isOfTask = (event: Event) => event.task_id === taskId;
  const whole = useGet(TASK, { path }, { reloadOn: (event) => isOfTask(event) && event.type === 'task.replaced' });
  const latest = useRecord({ agentId, taskId }, whole.data === undefined && whole.error === undefined);
  const record = useLastKnown(taskId, newest(whole.data, latest.data));
  const attempts = useGet(
    `${TASK}/attempts`,
    { path },
    {
      reloadOn: (event) => isOfTask(event) && !LEAVES_ATTEMPTS.has(event.type),
      minIntervalMs: MIN_RELOAD_MS,
    },
  );
  const isGone = latest.data === null || isNotFound(whole.error);
  useMissingPart(!isGone && isPartMissing(record?.status, whole), whole);
  const waiting = useWaiting({ agentId, taskId }, record?.status === 'pending' && !isGone);
  return {
    record,
    isGone,
    error: isGone ? undefined : (latest.error ?? (record ? undefined : whole.error)),
    whole,
    attempts,
    waiting,
    reload() {
      whole.reload();
      latest.reload();
      attempts.reload();
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

/** What is known of a task that has been deleted stays. */
function useLastKnown(taskId: string, record: TaskRecord | undefined): TaskRecord | undefined {
  const known = useRef<TaskRecord | undefined>(undefined);
  if (record) known.current = record;
  return known.current?.id === taskId ? known.current : undefined;
}

/** The result comes with the end of the task; a load that fails is repeated. */
function useMissingPart(isMissing: boolean, { error, reload }: Query<Task>): void {
  useEffect(() => {
    if (!isMissing) return;
    if (error === undefined) reload();
    const timer = setInterval(() => document.visibilityState === 'visible' && reload(), MISSING_EVERY_MS);
    return () => clearInterval(timer);
  }, [isMissing]);
}

function newest(one: TaskRecord | undefined, other: TaskRecord | null | undefined): TaskRecord | undefined {
  if (!one || !other) return one ?? other ?? undefined;
  return other.updated_at > one.updated_at ? other : one;
}

function isNotFound(error: unknown): boolean {
  return error instanceof FleetError && error.status === 404;
}

/** A task without what may be large. */
export type TaskRecord = Omit<Task, 'input' | 'result' | 'metadata' | 'output_schema'>;

/** Later than this, a task is shown before the rest of it has come. */
const PATIENCE_MS = 400;

/** A task as it is now; null when it is gone. Not loaded until it changes, or the whole task is late. */
function useRecord({ agentId, taskId }: TaskKey, isWaitingForWhole: boolean): Query<TaskRecord | null> {
  const [isWanted, setWanted] = useState(false);
  const concerns = (event: Event) =>
    event.task_id === taskId || (event.type === 'agent.deleted' && event.agent_id === agentId);
  useLive((events) => events.some(concerns) && setWanted(true));
  useMissed(() => setWanted(true));
  useEffect(() => {
    if (!isWaitingForWhole) return;
    const timer = setTimeout(() => setWanted(true), PATIENCE_MS);
    return () => clearTimeout(timer);
  }, [isWaitingForWhole]);
  const query = isWanted ? recordQuery(agentId, taskId) : undefined;
  const { data, ...rest } = useGet('/tasks', query ? { query } : null, {
    reloadOn: concerns,
    minIntervalMs: MIN_RELOAD_MS,
  });
  return { ...rest, data: data && ((data[0] as TaskRecord | undefined) ?? null) };
}

/** Calls back when events may have been missed. */
function useMissed(onMissed: () => void): void {
  const seen = useRef(live.resyncs.peek());
  useSignalEffect(() => {
    if (live.resyncs.value !== seen.current) onMissed();
    seen.current = live.resyncs.value;
  });
}
