import { setTimeout as sleep } from 'node:timers/promises';
import { FleetAwayError } from './errors.ts';

const BASE_MS = 500;
const CAP_MS = 10_000;

/** How long to wait after that many failures in a row: full jitter below a ceiling that doubles up to 10 s, after what the fleet asked for. */
export function backoffMs(failures: number, retryAfterMs = 0): number {
  return retryAfterMs + Math.random() * Math.min(CAP_MS, BASE_MS * 2 ** Math.min(failures - 1, 10));
}

/** Makes a call until it is answered, for as long as the fleet is away. @throws its other errors; the signal's reason once that aborts */
export async function persist<T>(
  call: () => Promise<T>,
  signal: AbortSignal,
  isTemporary: (error: unknown) => boolean = isAway,
): Promise<T> {
  for (let failures = 1; ; failures++) {
    try {
      return await call();
    } catch (error) {
      signal.throwIfAborted();
      if (!isTemporary(error)) throw error;
      await pause(backoffMs(failures, retryAfterMs(error)), signal);
      signal.throwIfAborted();
    }
  }
}

export function isAway(error: unknown): boolean {
  return error instanceof FleetAwayError;
}

export function retryAfterMs(error: unknown): number {
  return error instanceof FleetAwayError ? error.retryAfterMs : 0;
}

/** Resolves after `ms`, or at once when the signal aborts. */
export async function pause(ms: number, signal: AbortSignal): Promise<void> {
  await sleep(Math.max(ms, 0), undefined, { signal }).catch(() => {});
}
