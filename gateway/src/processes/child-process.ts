import cluster, { type Worker } from 'node:cluster';
import { StartError } from '@agent-fleet/shared/process';
import type { Registry } from 'prom-client';

/** The metrics of one child process, as serialisable values. */
export type MetricValues = Awaited<ReturnType<Registry['getMetricsAsJSON']>>;

/** `retire`: another child process replaces this one; `send_metrics`: reply with `metrics`. */
export type ToChild = { type: 'retire' } | { type: 'send_metrics' };

/** `failed`: why the child process does not start, as a text; `metrics`: on request, and once before it exits. */
export type FromChild = { type: 'failed'; reason: string } | { type: 'metrics'; metrics: MetricValues };

/** A child process that hangs at its start would block the replacement of the others. */
const START_DEADLINE_MS = 60_000;
/** A child process accepts a connection, or has closed its port, within this time. */
const ACCEPT_MS = 1_000;

/** How a child process ended: with a code or by a signal, or why it could not start. */
interface End {
  code: number | null;
  signal: string | null;
  reason: string | undefined;
}

export type Child = ReturnType<typeof startChild>;

/** Starts a child process with these variables in addition to those of this process. Node's cluster calls it worker. */
export function startChild(env: Record<string, string>) {
  const worker = cluster.fork(env);
  const closeUnaccepted = trackUnaccepted(worker);
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
    retire: () => send(worker, { type: 'retire' }),
    /** Stops gracefully, with the configured drain. */
    stop: () => {
      worker.process.kill('SIGTERM');
      setTimeout(closeUnaccepted, ACCEPT_MS).unref();
    },
    /** Ends it at once. */
    kill: () => void worker.process.kill('SIGKILL'),
  };
}

/**
 * The result closes the connection that a child process was given but did not accept before it closed its port; so does
 * its end. Node forgets such a connection (`handoff` in lib/internal/cluster/round_robin_handle.js), and its client
 * would wait forever. There is at most one at a time; an accepted one is already closed in this process.
 */
function trackUnaccepted({ process: child }: Worker): () => void {
  const { send } = child;
  let handed: unknown;
  Object.assign(child, {
    send: (...values: unknown[]): boolean => {
      if (isClosable(values[1])) handed = values[1];
      return Reflect.apply(send, child, values);
    },
  });
  const close = () => {
    if (isClosable(handed)) handed.close();
  };
  child.once('exit', close);
  return close;
}

function isClosable(handle: unknown): handle is { close(): void } {
  return typeof handle === 'object' && handle !== null && 'close' in handle;
}

function endOf(worker: Worker): Promise<End> {
  return new Promise((resolve) => {
    let reason: string | undefined;
    worker.on('message', (message: FromChild) => {
      if (message.type === 'failed') reason = message.reason;
    });
    worker.once('exit', (code, signal) => resolve({ code, signal, reason }));
    // A child process without an id was never started and emits no `exit`.
    worker.on('error', (error) => {
      if (worker.process.pid === undefined) resolve({ code: null, signal: null, reason: error.message });
    });
  });
}

/** Ignores errors: the child process may be exiting. */
export function send(worker: Worker, message: ToChild): void {
  worker.send(message, () => {});
}
