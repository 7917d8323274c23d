import type { IncomingMessage } from 'node:http';

/** A body of any length may have this many chunks. */
const FREE_CHUNKS = 4_096;
/**
 * Minimum average size in bytes of the chunks of a body that has more. A chunk has five bytes of framing or more: a
 * body of smaller chunks is mostly framing.
 */
const MIN_MEAN_BYTES = 3;

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
