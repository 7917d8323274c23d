import { setTimeout as sleep } from 'node:timers/promises';
import { FleetError } from '@agent-fleet/sdk';
import { isUnavailable } from './errors.ts';

const BASE_MS = 500;
const CAP_MS = 10_000;
const MAX_RETRY_AFTER_MS = 60_000;

/** The pause after so many failures in a row: `Retry-After` plus full jitter below a limit that doubles up to 10 s. */
export function backoffMs(failures: number, retryAfterMs = 0): number {
  return retryAfterMs + Math.random() * Math.min(CAP_MS, BASE_MS * 2 ** Math.min(failures - 1, 10));
}

/** Repeats a call while the fleet is unavailable. @throws its other errors; the signal's reason once that aborts */
export async function retry<T>(
  call: () => Promise<T>,
  signal: AbortSignal,
  isTemporary: (error: unknown) => boolean = isUnavailable,
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

/** From the `Retry-After` header, at most a minute, else 0. */
export function retryAfterMs(error: unknown): number {
  const seconds = error instanceof FleetError ? (error.retryAfterSeconds ?? 0) : 0;
  return Math.min(seconds * 1000, MAX_RETRY_AFTER_MS);
}

/** Resolves after `ms`, or at once when the signal aborts. */
export async function pause(ms: number, signal: AbortSignal): Promise<void> {
  await sleep(Math.max(ms, 0), undefined, { signal }).catch(() => {});
}
