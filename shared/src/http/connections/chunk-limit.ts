import type { IncomingMessage } from 'node:http';

/** So many chunks a body may have of any length. */
const FREE_CHUNKS = 4_096;
/**
 * Of a chunk, on average, beyond these: below it a body is mostly framing, and each chunk costs as much as a long one.
 */
const MIN_MEAN_BYTES = 16;

/**
 * Counts the chunks of a request's body as Node's parser hands them over, and calls `onExcess` once when they are many
 * and small: a million chunks of one byte (6 MB) would keep the process busy for seconds. The rest of such a body is
 * not handed on.
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
