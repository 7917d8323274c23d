import { hash } from 'node:crypto';
import { gunzipSync } from 'node:zlib';
import type { SourceDocument } from './build-input.ts';

/** Smaller buffers may lie in the pool that all of the process share. */
const MIN_OWN_BYTES = 65_536;

/**
 * The raw bytes of a document, in one buffer of their size.
 * @throws Error when they are not those of its digest: the packed bytes are damaged
 */
export function unpack({ packed, bytes, digest }: SourceDocument): Buffer {
  // One more byte than needed: zlib sees that it is done without a second buffer.
  const raw = gunzipSync(packed, { maxOutputLength: Math.max(1, bytes), chunkSize: Math.max(64, bytes + 1) });
  if (hash('sha256', raw) !== digest) throw new Error('A document does not match its digest');
  return raw;
}

/** Gives the memory of `raw` back at once; it is empty from then on. */
export function release(raw: Buffer): void {
  if (raw.byteLength >= MIN_OWN_BYTES) (raw.buffer as ArrayBuffer).transfer(0);
}
