import { setTimeout as sleep } from 'node:timers/promises';

const POLL_MS = 50;
const ANSWER_MS = 2000;

/**
 * Waits until `GET /ready` is 200. @throws with the last response after `timeoutMs`, or with the reason of `signal`
 * when that is aborted
 */
export async function untilReady(url: string, timeoutMs: number, signal: AbortSignal): Promise<void> {
  const deadline = Date.now() + timeoutMs;
  for (;;) {
    const result = await ask(`${url}/ready`, signal);
    if (result === undefined) return;
    if (Date.now() > deadline) throw new Error(`Not ready after ${timeoutMs / 1000} s: ${result}`);
    await sleep(POLL_MS);
    signal.throwIfAborted();
  }
}

/** Why it is not ready; undefined when it is. */
async function ask(url: string, signal: AbortSignal): Promise<string | undefined> {
  try {
    const response = await fetch(url, { signal: AbortSignal.any([signal, AbortSignal.timeout(ANSWER_MS)]) });
    const body = await response.text();
    return response.ok ? undefined : `${response.status} ${body}`;
  } catch (error) {
    signal.throwIfAborted();
    const { cause, message } = error as Error;
    return cause instanceof Error ? cause.message : message;
  }
}
