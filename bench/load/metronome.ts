import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads';

/** The minimum interval: a message between threads costs about as much as a request. */
const SHORTEST_MS = 0.25;

/**
 * Calls `onBeat` about every `everyMs`, at most 4 000 times a second. Timers of Node have a resolution of 1 ms, which
 * would send requests in bursts.
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
