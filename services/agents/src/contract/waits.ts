import type { Response } from 'express';
import type { Admit } from './callers.ts';

interface Wait<Value> {
  res: Response;
  timeoutMs: number;
  /** Subscribes to what may have changed; returns a function that unsubscribes. */
  listen: (onChange: () => void) => () => void;
  /** May throw, which ends the wait. */
  read: () => Promise<Value>;
  isDone: (value: Value) => boolean;
}

export type Waits = ReturnType<typeof createWaits>;

/** Requests that wait for something to be there. */
export function createWaits(admit: Admit) {
  const stops = new Set<() => void>();
  let closed = false;

  return {
    /** Ends all waits; new ones end immediately. */
    close(): void {
      closed = true;
      for (const stop of stops) stop();
    },

    /** Reads at once and after each change, until it is done, the time is over, or the client disconnects. */
    async readUntil<Value>({ res, timeoutMs, listen, read, isDone }: Wait<Value>): Promise<Value> {
      const leave = admit(res);
      let over = closed;
      let changed = Promise.withResolvers<void>();
      const stop = () => {
        over = true;
        changed.resolve();
      };
      const unsubscribe = listen(() => changed.resolve());
      const timer = setTimeout(stop, timeoutMs);
      res.once('close', stop);
      stops.add(stop);
      try {
        for (;;) {
          const value = await read();
          if (over || isDone(value)) return value;
          await changed.promise;
          changed = Promise.withResolvers();
        }
      } finally {
        leave();
        unsubscribe();
        clearTimeout(timer);
        res.off('close', stop);
        stops.delete(stop);
      }
    },
  };
}
