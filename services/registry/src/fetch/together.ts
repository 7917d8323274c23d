import pLimit from 'p-limit';
import type { SourceDocument } from '../source/document.ts';
import { UpstreamError } from '../source/errors.ts';
import type { FileLocation } from './source-reader.ts';

export const MAX_AT_ONCE = 4;
/** Of one shard or part. */
export const MAX_PART_BYTES = 64 * 1024 * 1024;
/** Of all files of a source together, uncompressed and compressed. */
export const MAX_ALL_BYTES = 512 * 1024 * 1024;
const MAX_ALL_PACKED_BYTES = 128 * 1024 * 1024;

/** Fetches the files of a source four at a time; returns them in order. A failure stops all. @throws `too_large` */
export async function fetchTogether<Item>(
  items: readonly Item[],
  signal: AbortSignal,
  fetchOne: (item: Item, at: number, signal: AbortSignal) => Promise<SourceDocument>,
): Promise<SourceDocument[]> {
  const stop = new AbortController();
  const within = AbortSignal.any([signal, stop.signal]);
  const sizes = new TotalSize();
  try {
    return await pLimit(MAX_AT_ONCE).map(items, async (item, at) => {
      within.throwIfAborted();
      return sizes.add(await fetchOne(item, at, within));
    });
  } finally {
    stop.abort();
  }
}

/** Of all files of a source. */
export class TotalSize {
  #bytes = 0;
  #packedBytes = 0;

  /** @throws UpstreamError `too_large` */
  add(document: SourceDocument): SourceDocument {
    this.#bytes += document.bytes;
    this.#packedBytes += document.packed.length;
    if (this.#bytes > MAX_ALL_BYTES || this.#packedBytes > MAX_ALL_PACKED_BYTES)
      throw new UpstreamError('too_large', `The parts together are larger than ${MAX_ALL_BYTES} bytes`);
    return document;
  }
}

/** Call it before anything is fetched. @throws UpstreamError `bad_manifest` for a file that is listed twice */
export function requireDistinct(from: FileLocation, locations: readonly FileLocation[], message: string): void {
  const distinct = new Set([from, ...locations].map(({ url }) => url.href));
  if (distinct.size <= locations.length) throw new UpstreamError('bad_manifest', message);
}
