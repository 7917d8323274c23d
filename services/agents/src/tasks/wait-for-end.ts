import type { Response } from 'express';
import { endsTask } from '../events/event.ts';
import type { Feed } from '../events/feed.ts';
import type { Task } from './task.ts';
import { isEnded } from './task-rules.ts';

/** Reads a task's record when it has ended, or else when `timeoutMs` have passed or the client has gone; `read` may throw. */
export type WaitForEnd = (
  task: { agent_id: string; task_id: string },
  timeoutMs: number,
  res: Response,
  read: () => Promise<string>,
) => Promise<string>;

export interface EndWaits {
  wait: WaitForEnd;
  /** All waits end now, and new ones at once. */
  close(): void;
}

export function createEndWaits(feed: Feed): EndWaits {
  const stops = new Set<() => void>();
  let closed = false;

  return {
    close() {
      closed = true;
      for (const stop of stops) stop();
    },

    async wait({ agent_id, task_id }, timeoutMs, res, read) {
      let over = closed;
      let woken = Promise.withResolvers<void>();
      const stop = () => {
        over = true;
        woken.resolve();
      };
      // Without an event something may have been missed: the record tells.
      const offTask = feed.on(`task:${task_id}`, (event) => {
        if (!event || endsTask(event.status)) woken.resolve();
      });
      const offAgent = feed.on(`agent:${agent_id}`, (event) => {
        if (event?.taskId === '' && event.status === 'deleted') woken.resolve();
      });
      const timer = setTimeout(stop, timeoutMs);
      res.once('close', stop);
      stops.add(stop);
      try {
        for (;;) {
          const json = await read();
          if (over || isEnded(JSON.parse(json) as Task)) return json;
          await woken.promise;
          woken = Promise.withResolvers<void>();
        }
      } finally {
        offTask();
        offAgent();
        clearTimeout(timer);
        res.off('close', stop);
        stops.delete(stop);
      }
    },
  };
}
