// Loaded by `--import` into a measured process: writes a line for each time at which its event loop was not at its
// timers when it should have been, with how much processor time its main thread used meanwhile. Without that the loop
// itself had nothing to do with it.
import { appendFileSync } from 'node:fs';
import { isMainThread } from 'node:worker_threads';

const BEAT_MS = 2;
const LEAST_MS = 4;

/** A line of the file. */
export interface Stall {
  /** By `Date.now`. */
  endedAt: number;
  ms: number;
  /** Of it, processor time of the main thread. */
  processorMs: number;
}

const file = process.env.STALLS_FILE;
if (file && isMainThread) watch(file);

function watch(file: string): void {
  let beatAt = performance.now();
  let used = processorMs();
  setInterval(() => {
    const ms = performance.now() - beatAt - BEAT_MS;
    const stall: Stall = { endedAt: Date.now(), ms, processorMs: processorMs() - used };
    if (ms >= LEAST_MS) appendFileSync(file, `${JSON.stringify(stall)}\n`);
    beatAt = performance.now();
    used = processorMs();
  }, BEAT_MS).unref();
}

function processorMs(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1_000;
}
