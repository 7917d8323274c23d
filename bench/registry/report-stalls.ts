// Loaded by `--import` into a measured process. Writes a line for each stall, that is when a timer of the event loop is
// late, with the processor time of the main thread during the stall. Without processor time, the cause is outside of
// the loop.
import { appendFileSync } from 'node:fs';
import { isMainThread } from 'node:worker_threads';

const BEAT_MS = 2;
const LEAST_MS = 4;

/** A line of the file. */
export interface Stall {
  /** Time by `Date.now()`. */
  endedAt: number;
  ms: number;
  /** Processor time of the main thread during the stall. */
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
