import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads';

/** A beat costs about as much as a request: there are no more than these. */
const SHORTEST_MS = 0.25;

/**
 * Calls back about every `everyMs`, at most 4 000 times a second. Node's own timers know whole milliseconds only, so
 * that requests at a constant rate would go out in bunches, and wait for one another.
 */
export function startMetronome(everyMs: number, onBeat: () => void): { stop(): Promise<number> } {
  const worker = new Worker(new URL(import.meta.url), { workerData: Math.max(everyMs, SHORTEST_MS) });
  worker.on('message', onBeat);
  return { stop: () => worker.terminate() };
}

if (!isMainThread) {
  const sleeper = new Int32Array(new SharedArrayBuffer(4));
  for (;;) {
    Atomics.wait(sleeper, 0, 0, workerData as number);
    parentPort?.postMessage(0);
  }
}
