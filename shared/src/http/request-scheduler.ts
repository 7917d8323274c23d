import type { RequestListener, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { batchPerTick } from './batch-per-tick.ts';

/** Decides when each request starts. */
export interface RequestScheduler {
  /** Called with each request whose head has been read: starts it now or later, or responds to it. */
  schedule: RequestListener;
  /** Starts the waiting requests of one connection at once; drops one whose body is incomplete. */
  flush(socket: Socket): void;
  /** Resumes reading from all connections that it has paused. Default: it pauses none. */
  resumeReading?(): void;
}

/** `start` passes a request to the application. */
export type CreateScheduler = (start: (res: ServerResponse) => void) => RequestScheduler;

/**
 * Starts the requests of one turn of the event loop together, before Node reports closed connections. By then, short
 * bodies that came with their heads have been read.
 */
export function schedulePerTick(start: (res: ServerResponse) => void): RequestScheduler {
  const batch = batchPerTick((batched: readonly ServerResponse[]) => {
    // A closed response emits no further `close`: the request would never count as ended.
    for (const res of batched) if (!res.closed) start(res);
  });
  return {
    schedule(_req, res) {
      batch.add(res);
    },
    flush(socket) {
      for (const res of batch.remove(({ req }) => req.socket === socket))
        if (!res.closed && res.req.complete) start(res);
    },
  };
}
