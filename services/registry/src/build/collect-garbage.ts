import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/** An allocation of this size makes V8 start an incremental collection. Unwritten, it takes no memory. */
const PRESSURE_BYTES = 64 * 1_048_576;
const TRY_EVERY_MS = 1_000;
/** A slow client may hold a replaced snapshot for longer. */
const MAX_TRIES = 10;

/**
 * Makes V8 free unused buffers soon: an idle service may not collect for minutes. `gc()` would block the thread for a
 * whole collection, 60 ms and more (measured).
 */
export function collectGarbage(): void {
  new ArrayBuffer(PRESSURE_BYTES);
}

/** Collects every second, at most ten times, until `value` is collected. The caller must drop its reference. */
export function collectOnce(value: object): void {
  const held = new WeakRef(value);
  let tries = 0;
  const timer = setInterval(() => {
    if (tries++ === MAX_TRIES || held.deref() === undefined) clearInterval(timer);
    // In another tick, as `deref` keeps `value` alive until the end of this one.
    else setImmediate(collectGarbage);
  }, TRY_EVERY_MS).unref();
}

/** Blocks the thread for a full collection: for a worker thread that is about to need much memory. */
export function collectAtOnce(): void {
  // `gc` is only available through a flag of the process.
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  collect();
}
