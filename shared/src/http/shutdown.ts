import type { Server } from 'node:http';
import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises';
import type { Lifecycle } from './health.ts';
import type { RequestScheduler } from './request-scheduler.ts';

/** So that the process exits within 20 s. */
const STOP_DEADLINE_MS = 19_000;
/** Node does not close connections that become idle after `server.close()`. */
const CLOSE_IDLE_EVERY_MS = 100;

/** Serves for `drainSeconds` while the service is not ready, then closes the listener and the connections. */
export async function stop(
  server: Server,
  scheduler: RequestScheduler,
  lifecycle: Lifecycle,
  drainSeconds: number,
): Promise<void> {
  lifecycle.stopping = true;
  scheduler.resumeReading?.();
  await sleep(drainSeconds * 1_000);
  // Requests already sent on paused connections are read first.
  await nextTurn();
  const closed = new Promise<void>((resolve) => server.close(() => resolve()));
  const closeIdle = setInterval(() => server.closeIdleConnections(), CLOSE_IDLE_EVERY_MS);
  const deadline = setTimeout(() => server.closeAllConnections(), STOP_DEADLINE_MS - drainSeconds * 1_000);
  await closed;
  clearInterval(closeIdle);
  clearTimeout(deadline);
}
