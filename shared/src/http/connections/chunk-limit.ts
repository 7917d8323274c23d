import type { IncomingMessage } from 'node:http';

/** A body of any length may have this many chunks. */
const FREE_CHUNKS = 4_096;
/**
 * Minimum average size of further chunks in bytes: smaller ones are mostly framing, and each costs as much as a large
 * one.
 */
const MIN_MEAN_BYTES = 16;

/**
 * Counts the chunks of a request body as Node's parser delivers them, and calls `onExcess` once when they are too many
 * and too small: a million chunks of one byte (6 MB) would keep the process busy for seconds. The rest of the body is
 * discarded.
 */
export function limitChunks(req: IncomingMessage, onExcess: () => void): void {
  const push = req.push;
  let chunks = 0;
  let bytes = 0;
  let refused = false;
  req.push = (chunk: Buffer | null, encoding) => {
    if (refused) return false;
    chunks++;
    bytes += chunk?.length ?? 0;
    refused = chunks > FREE_CHUNKS && bytes < chunks * MIN_MEAN_BYTES;
    if (!refused) return push.call(req, chunk, encoding);
    onExcess();
    return false;
  };
}
