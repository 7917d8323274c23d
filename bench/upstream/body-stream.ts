import type { Readable, Writable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { BODY_BYTES } from './responses.ts';

const PART = Buffer.alloc(64 * 1024, 'x');
const PAUSE_AFTER_BYTES = 4_000_000;
const PAUSE_MS = 10;

/** Writes 1 GB and ends, as fast as it is taken. */
export function sendBody(to: Writable): void {
  let left = BODY_BYTES;
  function sendMore(): void {
    for (let isTaken = true; isTaken && left > 0 && !to.destroyed; ) {
      const part = left < PART.length ? PART.subarray(0, left) : PART;
      left -= part.length;
      isTaken = to.write(part);
    }
    if (left === 0) to.end();
    else to.once('drain', sendMore);
  }
  sendMore();
}

/** Counts the bytes that come, at no more than 400 MB/s: their sender would be ahead, were it not held back. */
export async function takeBody(from: Readable): Promise<number> {
  let taken = 0;
  let pauseAt = PAUSE_AFTER_BYTES;
  for await (const part of from as AsyncIterable<Buffer>) {
    taken += part.length;
    if (taken < pauseAt) continue;
    pauseAt += PAUSE_AFTER_BYTES;
    await sleep(PAUSE_MS);
  }
  return taken;
}
