import { hash } from 'node:crypto';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';
import { release } from '../source/unpack.ts';
import type { EncodedBody } from './built-snapshot.ts';

/** Larger bodies get the fastest levels: 136 MB take 0.55 s in br 1 (25 MB) and 1.1 s in gzip 1 (27 MB; measured). */
export const LARGE_BODY_BYTES = 8 * 1_048_576;
const GZIP_LEVEL = { small: 6, large: 1 };
const BROTLI_QUALITY = { small: 5, large: 1 };
/** A list compresses to a fifth, so its output mostly fits one chunk. */
const CHUNKS = 4;
const MIN_CHUNK_BYTES = 65_536;

/** Encodes a body in every coding, each in its own buffer. `identity` is not copied. */
export function encodeBody(identity: Uint8Array): EncodedBody {
  const size = sizeOf(identity);
  return {
    digest: hash('sha256', identity).slice(0, 32),
    identity,
    gzip: toOwn(gzipSync(identity, { level: GZIP_LEVEL[size], chunkSize: chunkSizeOf(identity) })),
    br: toBrotli(identity),
  };
}

export function toBrotli(bytes: Uint8Array): Uint8Array {
  const params = {
    [constants.BROTLI_PARAM_QUALITY]: BROTLI_QUALITY[sizeOf(bytes)],
    [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length,
  };
  return toOwn(brotliCompressSync(bytes, { params, chunkSize: chunkSizeOf(bytes) }));
}

/** The bytes in their own buffer, which can move to another thread. */
export function exact(bytes: Uint8Array): Uint8Array {
  return bytes.byteLength === bytes.buffer.byteLength ? bytes : new Uint8Array(bytes);
}

/** Frees the larger output buffer at once: the next encoding needs as much. */
function toOwn(encoded: Buffer): Uint8Array {
  const own = exact(encoded);
  if (own !== encoded) release(encoded);
  return own;
}

function sizeOf(bytes: Uint8Array): 'small' | 'large' {
  return bytes.length > LARGE_BODY_BYTES ? 'large' : 'small';
}

function chunkSizeOf(bytes: Uint8Array): number {
  return Math.max(MIN_CHUNK_BYTES, Math.ceil(bytes.length / CHUNKS));
}
