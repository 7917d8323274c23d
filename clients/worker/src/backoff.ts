import { setTimeout as sleep } from 'node:timers/promises';
import { FleetError } from '@agent-fleet/sdk';
import { backoffMs } from '@agent-fleet/sdk/backoff';
import { isUnavailable } from './errors.ts';

const MAX_RETRY_AFTER_SECONDS = 60;

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
      await pause(pauseMs(failures, error), signal);
      signal.throwIfAborted();
    }
  }
}

/** The pause after so many failures in a row, the last of them with this error; of `Retry-After` at most a minute. */
export function pauseMs(failures: number, error: unknown): number {
  const seconds = error instanceof FleetError ? (error.retryAfterSeconds ?? 0) : 0;
  return backoffMs(failures, Math.min(seconds, MAX_RETRY_AFTER_SECONDS));
}

/** Resolves after `ms`, or at once when the signal aborts. */
export async function pause(ms: number, signal: AbortSignal): Promise<void> {
  await sleep(Math.max(ms, 0), undefined, { signal }).catch(() => {});
}
