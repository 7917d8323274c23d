import { setTimeout as sleep } from 'node:timers/promises';

const POLL_MS = 50;

/** Waits until `holds` does; a throw counts as no. @throws naming `what` after `timeoutMs` */
export async function until(what: string, timeoutMs: number, holds: () => Promise<boolean>): Promise<void> {
  const deadline = Date.now() + timeoutMs;
  let last: unknown;
  for (;;) {
    try {
      if (await holds()) return;
    } catch (error) {
      last = error;
    }
    if (Date.now() > deadline) throw new Error(`Not within ${timeoutMs / 1000} s: ${what}`, { cause: last });
    await sleep(POLL_MS);
  }
}
