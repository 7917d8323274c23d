import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/**
 * So much at once has V8 begin a collection, in steps of a few milliseconds. It takes no memory, as nothing is written
 * to it.
 */
const PRESSURE_BYTES = 64 * 1_048_576;
const TRY_EVERY_MS = 1_000;
/** Whoever reads slowly what is being replaced may hold it for longer: then the collector finds it some time later. */
const MAX_TRIES = 10;

/**
 * Has buffers that nobody holds any more given back soon: an idle service may go without a collection for minutes.
 * `gc()` would stop the thread for as long as a whole collection takes, 60 ms and more (measured).
 */
export function collectGarbage(): void {
  new ArrayBuffer(PRESSURE_BYTES);
}

/** Collects every second until `value`, which the caller lets go now, is gone, for ten seconds at most. */
export function collectOnce(value: object): void {
  const held = new WeakRef(value);
  let tries = 0;
  const timer = setInterval(() => {
    if (tries++ === MAX_TRIES || held.deref() === undefined) clearInterval(timer);
    // In a turn of its own: in the one in which it was asked for, `value` is alive.
    else setImmediate(collectGarbage);
  }, TRY_EVERY_MS).unref();
}

/** Stops the thread until all garbage is collected: for a worker thread that is about to need much memory. */
export function collectAtOnce(): void {
  // There is no other way to get at it but a flag of the whole process.
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  collect();
}
