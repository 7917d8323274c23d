import type { Readable, Writable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { BODY_BYTES } from './responses.ts';

const PART = Buffer.alloc(64 * 1024, 'x');
const PAUSE_AFTER_BYTES = 4_000_000;
const PAUSE_MS = 10;

/** Writes 1 GB with backpressure, and ends. */
export function sendBody(to: Writable): void {
  let bytesLeft = BODY_BYTES;
  function sendMore(): void {
    for (let canWrite = true; canWrite && bytesLeft > 0 && !to.destroyed; ) {
      const part = bytesLeft < PART.length ? PART.subarray(0, bytesLeft) : PART;
      bytesLeft -= part.length;
      canWrite = to.write(part);
    }
    if (bytesLeft === 0) to.end();
    else to.once('drain', sendMore);
  }
  sendMore();
}

/** Counts the received bytes, at most 400 MB/s, so that the sender has to wait. */
export async function receiveBody(from: Readable): Promise<number> {
  let received = 0;
  let pauseAt = PAUSE_AFTER_BYTES;
  for await (const part of from as AsyncIterable<Buffer>) {
    received += part.length;
    if (received < pauseAt) continue;
    pauseAt += PAUSE_AFTER_BYTES;
    await sleep(PAUSE_MS);
  }
  return received;
}
