import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';

/** Framing of a chunk of up to 15 bytes: a digit and two ends of lines. A body of smaller chunks is mostly framing. */
const FRAMING_BYTES = 5;
/** Chunks that are mostly framing: what a connection may send at once, and in a millisecond on average. */
const BURST = 4_096;
const RATE_PER_MS = 1;

/** What a connection has sent in excess of its rate, in empty chunks, and since when. */
interface Bucket {
  excess: number;
  atMs: number;
}

/** Of a connection and not of a body: a client may send many bodies without waiting for responses. */
const buckets = new WeakMap<Socket, Bucket>();

/**
 * Counts the chunks of a request body as Node's parser delivers them, by a leaky bucket for each connection, and calls
 * `onExcess` once when too many are mostly framing: a million chunks of one byte (6 MB) would keep the process busy for
 * seconds. The rest of the body is discarded.
 */
export function limitChunks(req: IncomingMessage, onExcess: () => void): void {
  const { push, socket } = req;
  const bucket = buckets.get(socket) ?? { excess: 0, atMs: performance.now() };
  buckets.set(socket, bucket);
  let refused = false;
  req.push = (chunk: Buffer | null, encoding) => {
    if (refused) return false;
    refused = take(bucket, chunk?.length ?? 0) > BURST;
    if (!refused) return push.call(req, chunk, encoding);
    onExcess();
    return false;
  };
}

function take(bucket: Bucket, bytes: number): number {
  const nowMs = performance.now();
  const before = Math.max(0, bucket.excess - (nowMs - bucket.atMs) * RATE_PER_MS);
  bucket.excess = Math.max(0, before + 1 - bytes / FRAMING_BYTES);
  bucket.atMs = nowMs;
  return bucket.excess;
}
