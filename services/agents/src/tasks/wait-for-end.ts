import type { Response } from 'express';
import type { Feed } from '../events/feed.ts';
import type { Task } from './task.ts';
import { isEnded } from './task-rules.ts';

/** Reads a task's record when it has ended, or else when `timeoutMs` have passed or the client has gone; `read` may throw. */
export type WaitForEnd = (
  taskId: string,
  timeoutMs: number,
  res: Response,
  read: () => Promise<string>,
) => Promise<string>;

export interface EndWaits {
  wait: WaitForEnd;
  /** All waits end now, and new ones at once. */
  close(): void;
}

const ENDS = new Set(['completed', 'failed', 'cancelled', 'deleted']);

export function createEndWaits(feed: Feed): EndWaits {
  const stops = new Set<() => void>();
  let closed = false;

  return {
    close() {
      closed = true;
      for (const stop of stops) stop();
    },

    async wait(taskId, timeoutMs, res, read) {
      let over = closed;
      let woken = Promise.withResolvers<void>();
      const stop = () => {
        over = true;
        woken.resolve();
      };
      // Without an event something may have been missed: the record tells.
      const off = feed.on(`task:${taskId}`, (event) => {
        if (!event || ENDS.has(event.status)) woken.resolve();
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
        off();
        clearTimeout(timer);
        res.off('close', stop);
        stops.delete(stop);
      }
    },
  };
}
