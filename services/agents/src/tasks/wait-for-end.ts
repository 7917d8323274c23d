import type { Response } from 'express';
import type { TaskParams } from '../contract/parameters.ts';
import { endsTask } from '../events/event.ts';
import type { Feed } from '../events/feed.ts';
import type { FleetContext } from '../redis/fleet-context.ts';
import { isEnded } from './rules/task-rules.ts';
import type { Task } from './task.ts';

const INPUT = 'input_required';

interface Wait {
  timeoutMs: number;
  /** What ends it: `input` also that the task needs input. */
  until: 'end' | 'input';
  res: Response;
  /** Reads the record. */
  read: () => Promise<string>;
}

export type WaitForEnd = ReturnType<typeof createWaitForEnd>;

/** The result waits for the end of a task, or until it needs input, then returns its record. */
export function createWaitForEnd({ waits }: FleetContext, feed: Feed) {
  return ({ agent_id, task_id }: TaskParams, { until, ...wait }: Wait): Promise<string> =>
    waits.readUntil({
      ...wait,
      listen(onChange) {
        // No event means that some may have been missed: read the record again.
        const offTask = feed.on(`task:${task_id}`, (event) => {
          if (!event || endsTask(event.status) || event.status === INPUT) onChange();
        });
        const offAgent = feed.on(`agent:${agent_id}`, (event) => {
          if (event?.type === 'agent.deleted') onChange();
        });
        return () => {
          offTask();
          offAgent();
        };
      },
      isDone(json) {
        const task = JSON.parse(json) as Task;
        return isEnded(task) || (until === 'input' && task.status === INPUT);
      },
    });
}
