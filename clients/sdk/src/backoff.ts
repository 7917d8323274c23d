const BASE_MS = 250;
const CAP_MS = 10_000;

/** The delay in ms after `failures` in a row: `Retry-After` plus full jitter below a limit that doubles up to 10 s. */
export function backoffMs(failures: number, retryAfterSeconds = 0): number {
  return retryAfterSeconds * 1000 + Math.random() * Math.min(CAP_MS, BASE_MS * 2 ** Math.min(failures, 10));
}

/** Resolves after `ms`. @throws the signal's reason as soon as it aborts */
export async function sleep(ms: number, signal?: AbortSignal): Promise<void> {
  signal?.throwIfAborted();
  await new Promise<void>((resolve, reject) => {
    const onAbort = () => {
      clearTimeout(timer);
      reject(signal?.reason);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', onAbort);
      resolve();
    }, ms);
    signal?.addEventListener('abort', onAbort, { once: true });
  });
}
