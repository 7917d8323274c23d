import { hash } from 'node:crypto';
import { gunzipSync } from 'node:zlib';
import type { SourceDocument } from '../source/source-files.ts';

/** Smaller buffers may belong to the shared pool of Node. */
const MIN_OWN_BYTES = 65_536;

/** Decompresses a document into a buffer of exact size. @throws Error if it does not match its digest */
export function unpack({ packed, bytes, digest }: SourceDocument): Buffer {
  // With one byte more than needed, zlib finishes without a second buffer.
  const raw = gunzipSync(packed, { maxOutputLength: Math.max(1, bytes), chunkSize: Math.max(64, bytes + 1) });
  if (hash('sha256', raw) !== digest) throw new Error('A document does not match its digest');
  return raw;
}

/** Frees the memory of `raw` at once; it is empty afterwards. */
export function release(raw: Buffer): void {
  if (raw.byteLength >= MIN_OWN_BYTES) (raw.buffer as ArrayBuffer).transfer(0);
}
