import cluster, { type Worker } from 'node:cluster';
import { StartError } from '@agent-fleet/shared/process';
import type { Registry } from 'prom-client';

/** The metrics of one process, as serialisable values. */
export type MetricValues = Awaited<ReturnType<Registry['getMetricsAsJSON']>>;

/** `leave`: another process replaces this one; `send_metrics`: reply with `metrics`. */
export type ToWorker = { type: 'leave' } | { type: 'send_metrics' };

/** `failed`: why the process does not start, as a text; `metrics`: on request, and once before it exits. */
export type FromWorker = { type: 'failed'; reason: string } | { type: 'metrics'; metrics: MetricValues };

/** A process that hangs at its start would block the replacement of the others. */
const START_DEADLINE_MS = 60_000;

/** How a process ended: with a code or by a signal, or why it could not start. */
interface End {
  code: number | null;
  signal: string | null;
  reason: string | undefined;
}

export type Child = ReturnType<typeof startChild>;

/** Starts a process of the gateway with these variables in addition to this process's. */
export function startChild(env: Record<string, string>) {
  const worker = cluster.fork(env);
  closeUnaccepted(worker);
  const ended = endOf(worker);
  const listens = new Promise<number>((resolve, reject) => {
    worker.once('listening', ({ port }) => resolve(port));
    ended.then(({ code, signal, reason }) => {
      reject(new StartError(reason ?? `A process of the gateway ended (${signal ?? `exit code ${code}`})`));
    });
  });
  const overdue = setTimeout(() => worker.process.kill('SIGKILL'), START_DEADLINE_MS).unref();
  // Not every caller awaits `listens`.
  listens.finally(() => clearTimeout(overdue)).catch(() => {});
  return {
    pid: worker.process.pid,
    startedAtMs: performance.now(),
    /** Resolves with its port when it listens. @rejects StartError when it ends first */
    listens,
    ended,
    /** Accepts no more connections, completes its requests and exits. */
    leave: () => send(worker, { type: 'leave' }),
    /** Stops gracefully, with the configured drain. */
    stop: () => void worker.process.kill('SIGTERM'),
    /** Ends it at once. */
    kill: () => void worker.process.kill('SIGKILL'),
  };
}

/**
 * Closes the connection that a process was given but did not accept before it was killed. Node forgets such a
 * connection (`handoff` in lib/internal/cluster/round_robin_handle.js), and its client would wait forever. There is at
 * most one at a time; an accepted one is already closed in this process.
 */
function closeUnaccepted({ process: child }: Worker): void {
  const { send } = child;
  let handed: unknown;
  Object.assign(child, {
    send: (...values: unknown[]): boolean => {
      if (isClosable(values[1])) handed = values[1];
      return Reflect.apply(send, child, values);
    },
  });
  child.once('exit', () => {
    if (isClosable(handed)) handed.close();
  });
}

function isClosable(handle: unknown): handle is { close(): void } {
  return typeof handle === 'object' && handle !== null && 'close' in handle;
}

function endOf(worker: Worker): Promise<End> {
  return new Promise((resolve) => {
    let reason: string | undefined;
    worker.on('message', (message: FromWorker) => {
      if (message.type === 'failed') reason = message.reason;
    });
    worker.once('exit', (code, signal) => resolve({ code, signal, reason }));
    // A process without an id was never started and emits no `exit`.
    worker.on('error', (error) => {
      if (worker.process.pid === undefined) resolve({ code: null, signal: null, reason: error.message });
    });
  });
}

/** Ignores errors: the process may be exiting. */
export function send(worker: Worker, message: ToWorker): void {
  worker.send(message, () => {});
}
