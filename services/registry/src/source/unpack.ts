import { hash } from 'node:crypto';
import { gunzipSync } from 'node:zlib';
import type { SourceDocument } from './source-files.ts';

/** Decompresses a document into a buffer of its own. @throws Error if it does not match its digest */
export function unpack({ packed, bytes, digest }: SourceDocument): Buffer {
  // With one byte more than needed, zlib finishes without a second buffer.
  const raw = gunzipSync(packed, { maxOutputLength: Math.max(1, bytes), chunkSize: Math.max(64, bytes + 1) });
  if (hash('sha256', raw) !== digest) throw new Error('A document does not match its digest');
  return raw;
}
