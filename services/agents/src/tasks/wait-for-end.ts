import type { Response } from 'express';
import type { TaskParams } from '../contract/parameters.ts';
import { endsTask } from '../events/event.ts';
import type { Feed } from '../events/feed.ts';
import type { FleetContext } from '../redis/fleet-context.ts';
import { isEnded } from './rules/task-rules.ts';
import type { Task } from './task.ts';

const INPUT = 'input_required';

export type EndWaits = ReturnType<typeof createEndWaits>;

interface Wait {
  timeoutMs: number;
  /** What ends it: `input` also that the task needs input. */
  until: 'end' | 'input';
}

/** Requests that wait for the end of a task. */
export function createEndWaits({ admitWait }: FleetContext, feed: Feed) {
  const stops = new Set<() => void>();
  let closed = false;

  return {
    /** Ends all waits; new ones end immediately. */
    close(): void {
      closed = true;
      for (const stop of stops) stop();
    },

    /**
     * Waits for the end of a task, or until it needs input, at most `timeoutMs` and until the client disconnects, then
     * returns its record. `read` may throw.
     */
    async wait(
      { agent_id, task_id }: TaskParams,
      { timeoutMs, until }: Wait,
      res: Response,
      read: () => Promise<string>,
    ): Promise<string> {
      const leave = admitWait(res);
      let over = closed;
      let changed = Promise.withResolvers<void>();
      const stop = () => {
        over = true;
        changed.resolve();
      };
      // No event means that some may have been missed: read the record again.
      const offTask = feed.on(`task:${task_id}`, (event) => {
        if (!event || endsTask(event.status) || event.status === INPUT) changed.resolve();
      });
      const offAgent = feed.on(`agent:${agent_id}`, (event) => {
        if (event?.type === 'agent.deleted') changed.resolve();
      });
      const timer = setTimeout(stop, timeoutMs);
      res.once('close', stop);
      stops.add(stop);
      try {
        for (;;) {
          const json = await read();
          const task = JSON.parse(json) as Task;
          if (over || isEnded(task) || (until === 'input' && task.status === INPUT)) return json;
          await changed.promise;
          changed = Promise.withResolvers<void>();
        }
      } finally {
        leave();
        offTask();
        offAgent();
        clearTimeout(timer);
        res.off('close', stop);
        stops.delete(stop);
      }
    },
  };
}
