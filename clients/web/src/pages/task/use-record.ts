import type { Event, Task } from '@agent-fleet/sdk';
import { useSignalEffect } from '@preact/signals';
import { useEffect, useRef, useState } from 'preact/hooks';
import { fleet } from '../../api/fleet.ts';
import { live, useLive } from '../../api/live.ts';
import { type Query, useQuery } from '../../api/use-query.ts';
import type { TaskKey } from './task-key.ts';
import { recordQuery } from './task-requests.ts';

/** A task without what may be large. */
export type TaskRecord = Omit<Task, 'input' | 'result' | 'metadata' | 'output_schema'>;

const MIN_RELOAD_MS = 500;
/** Later than this, a task is shown before the rest of it has come. */
const PATIENCE_MS = 400;

/** A task as it is now; null when it is gone. Not loaded until it changes, or the whole task is late. */
export function useRecord({ agentId, taskId }: TaskKey, isWaitingForWhole: boolean): Query<TaskRecord | null> {
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
  return useQuery(
    isWanted ? `record ${taskId}` : null,
    async (signal) => {
      const { data } = await fleet.get('/tasks', { params: { query: recordQuery(agentId, taskId) }, signal });
      return (data[0] as TaskRecord | undefined) ?? null;
    },
    { reloadOn: concerns, minIntervalMs: MIN_RELOAD_MS },
  );
}

/** Calls back when events may have been missed. */
function useMissed(onMissed: () => void): void {
  const seen = useRef(live.resyncs.peek());
  useSignalEffect(() => {
    if (live.resyncs.value !== seen.current) onMissed();
    seen.current = live.resyncs.value;
  });
}
