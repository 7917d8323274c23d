import { hash } from 'node:crypto';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';
import type { EncodedBody } from './built-snapshot.ts';

/** Larger bodies are compressed fast: 137 MB take 0.6 s in br 1 (26 MB) and 1.4 s in gzip 1 (27 MB); br 2 takes 1.6 s for 24 MB (measured). */
export const LARGE_BODY_BYTES = 8 * 1_048_576;
const GZIP = { small: 6, large: 1 };
const BROTLI = { small: { quality: 5, window: 22 }, large: { quality: 1, window: 18 } };
/** What zlib writes into at a time: pieces of its own choice would be many. */
const MAX_CHUNK_BYTES = 1_048_576;
const MIN_CHUNK_BYTES = 1_024;

/** A body in every coding, each in a buffer of its own. `identity` is kept, not copied. */
export function encodeBody(identity: Uint8Array): EncodedBody {
  const size = sizeOf(identity);
  return {
    digest: hash('sha256', identity).slice(0, 32),
    identity,
    gzip: exact(gzipSync(identity, { level: GZIP[size], chunkSize: chunkSizeOf(identity) })),
    br: toBrotli(identity),
  };
}

export function toBrotli(bytes: Uint8Array): Uint8Array {
  const { quality, window } = BROTLI[sizeOf(bytes)];
  const params = {
    [constants.BROTLI_PARAM_QUALITY]: quality,
    [constants.BROTLI_PARAM_LGWIN]: window,
    [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length,
  };
  return exact(brotliCompressSync(bytes, { params, chunkSize: chunkSizeOf(bytes) }));
}

/** In a buffer of its own, so that it can move to another thread. */
export function exact(bytes: Uint8Array): Uint8Array {
  return bytes.byteLength === bytes.buffer.byteLength ? bytes : new Uint8Array(bytes);
}

function sizeOf(bytes: Uint8Array): 'small' | 'large' {
  return bytes.length > LARGE_BODY_BYTES ? 'large' : 'small';
}

function chunkSizeOf(bytes: Uint8Array): number {
  return Math.min(MAX_CHUNK_BYTES, Math.max(MIN_CHUNK_BYTES, bytes.length));
}
