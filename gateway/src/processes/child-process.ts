import cluster, { type Worker } from 'node:cluster';
import { StartError } from '@agent-fleet/shared/process';
import type { FromWorker, ToWorker } from './messages.ts';

/** One that hangs as it starts would hold the replacing of all the others back. */
const START_DEADLINE_MS = 60_000;

/** How a process ended: with a code or by a signal, or why it could not start. */
interface End {
  code: number | null;
  signal: string | null;
  reason: string | undefined;
}

/** A process of the gateway, as the one that started it sees it. */
export interface Child {
  pid: number | undefined;
  startedAtMs: number;
  /** Resolves with its port when it listens. @rejects StartError when it has ended before */
  listens: Promise<number>;
  ended: Promise<End>;
  /** It takes no more connections, serves what it has and ends. */
  leave(): void;
  /** It stops as the whole gateway does. */
  stop(): void;
  /** It ends at once. */
  kill(): void;
}

/** Starts one with these variables beside this process's. */
export function startChild(env: Record<string, string>): Child {
  const worker = cluster.fork(env);
  closeUntaken(worker);
  const ended = endOf(worker);
  const listens = new Promise<number>((resolve, reject) => {
    worker.once('listening', ({ port }) => resolve(port));
    ended.then((end) => reject(new StartError(end.reason ?? `A process of the gateway ended (${describe(end)})`)));
  });
  const overdue = setTimeout(() => worker.process.kill('SIGKILL'), START_DEADLINE_MS).unref();
  // Not all wait for it.
  listens.finally(() => clearTimeout(overdue)).catch(() => {});
  return {
    pid: worker.process.pid,
    startedAtMs: performance.now(),
    listens,
    ended,
    leave: () => send(worker, { type: 'leave' }),
    stop: () => void worker.process.kill('SIGTERM'),
    kill: () => void worker.process.kill('SIGKILL'),
  };
}

/**
 * A connection that was handed to a process which is killed before it takes it would stay open, with a client that waits for ever: Node
 * forgets it (`handoff` in lib/internal/cluster/round_robin_handle.js). There is at most one at a time; one that was taken is closed here already.
 */
function closeUntaken({ process: child }: Worker): void {
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
    // One without a process id could not be started at all, and has no exit.
    worker.on('error', (error) => {
      if (worker.process.pid === undefined) resolve({ code: null, signal: null, reason: error.message });
    });
  });
}

/** To one that ends at this moment nothing is sent, without an error. */
export function send(worker: Worker, message: ToWorker): void {
  worker.send(message, () => {});
}

function describe({ code, signal }: End): string {
  return signal ?? `exit code ${code}`;
}
