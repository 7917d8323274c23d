import { once } from 'node:events';
import type { Server } from 'node:http';
import { Server as NetServer } from 'node:net';
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
  await endConnections(server, closed, STOP_DEADLINE_MS - drainSeconds * 1_000);
}

/** Closes the listener, and after `seconds` the connections: another process listens on the port. */
export async function retire(
  server: Server,
  scheduler: RequestScheduler,
  lifecycle: Lifecycle,
  seconds: number,
): Promise<void> {
  lifecycle.retiring = true;
  scheduler.resumeReading?.();
  const closed = once(server, 'close');
  // `http.Server.close` would also close idle connections, on which a request may be under way.
  NetServer.prototype.close.call(server);
  await Promise.race([closed, sleep(seconds * 1_000, undefined, { ref: false })]);
  await endConnections(server, closed, STOP_DEADLINE_MS - seconds * 1_000);
}

/** Closes connections as they become idle until `closed`, and all others after `deadlineMs`. */
async function endConnections(server: Server, closed: Promise<unknown>, deadlineMs: number): Promise<void> {
  server.closeIdleConnections();
  const closeIdle = setInterval(() => server.closeIdleConnections(), CLOSE_IDLE_EVERY_MS);
  const deadline = setTimeout(() => server.closeAllConnections(), deadlineMs);
  await closed;
  clearInterval(closeIdle);
  clearTimeout(deadline);
}
