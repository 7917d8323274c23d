import { createHash, type Hash, hash } from 'node:crypto';
import { type Duplex, Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { constants, createGunzip, createGzip, gunzipSync, inflateRawSync } from 'node:zlib';
import { release, toSharedBytes } from '../memory/arrays.ts';
import { UpstreamError } from './errors.ts';

/** One fetched file of a source: plain bytes that can be passed to a worker thread. */
export interface SourceDocument {
  /** SHA-256 of the raw bytes, in hex. */
  digest: string;
  /** Number of raw bytes. */
  bytes: number;
  /** The raw bytes in gzip, one member. */
  packed: Uint8Array;
}

/** All files of one source at one time. */
export interface SourceFiles {
  /**
   * Identifies this version of the source: the digest of its only document, or the SHA-256 of all digests joined by
   * line breaks. An operator accepts it with `REGISTRY_ACCEPT_SNAPSHOT`.
   */
  digest: string;
  /** The registry file, with SKILL.md files; or pointer, manifest and shards; or the first part and the others. */
  documents: readonly SourceDocument[];
  /** Indexes of the documents with records: the registry file, the shards or the parts. */
  recordDocuments: readonly number[];
  /** Number of records in each of the `recordDocuments`, as the manifest declares. */
  counts?: readonly (number | undefined)[];
  /** Number of all records, as the manifest or else the pointer declares. */
  totalCount?: number;
}

/** Maximum compressed size of a document. JSON compresses to a sixth. */
const MAX_PACKED_BYTES = 64 * 1024 * 1024;

/** Small chunks are combined, as each write costs a round trip to the thread pool. */
const BLOCK_BYTES = 64 * 1024;

/** How much longer a content coding may make an incompressible body. */
const CODING_BYTES = 64 * 1024;

/** How much longer gzip may make incompressible content. A longer gzip body is compressed again. */
const MAX_ADDED_BYTES = 1024;

/** Level 2 is as fast as level 1 and compresses a list of skills to a sixth: 85 MB in 0.8 s of CPU time. */
const PACKING = { level: 2, memLevel: 9, chunkSize: BLOCK_BYTES };

/** @throws UpstreamError `too_large` when it compresses to more than 64 MiB */
export function packDocument(bytes: Uint8Array): Promise<SourceDocument> {
  const stream = Readable.from([bytes], { objectMode: false });
  return packStream(stream, bytes.length, new AbortController().signal);
}

/**
 * Hashes, counts and compresses a stream, after `decoder` if given. Only the compressed form is held in memory.
 * @throws UpstreamError `too_large` above `maxBytes`; the error of the stream
 */
export async function packStream(
  bytes: Readable,
  maxBytes: number,
  signal: AbortSignal,
  decoder?: Duplex,
): Promise<SourceDocument> {
  const raw = { hash: createHash('sha256'), bytes: 0 };
  const sent = (chunks: AsyncIterable<Buffer>) => bounded(chunks, maxBytes + CODING_BYTES);
  const decoded = (chunks: AsyncIterable<Buffer>) => inBlocks(measured(chunks, raw, maxBytes));
  const gzip = createGzip(PACKING);
  const kept = (chunks: AsyncIterable<Buffer>) => Array.fromAsync(bounded(chunks, MAX_PACKED_BYTES));
  const packed = decoder
    ? await pipeline(bytes, sent, decoder, decoded, gzip, kept, { signal })
    : await pipeline(bytes, decoded, gzip, kept, { signal });
  return { digest: raw.hash.digest('hex'), bytes: raw.bytes, packed: await moveToShared(packed) };
}

/**
 * Hashes and counts the content of a gzip body and keeps the body itself, so that it is not compressed again. A body of
 * several members (not every client reads all of them), with optional header fields, or more than 1 KiB longer than its
 * content is compressed again. The decoder skips zeros at the end within their chunk, and fails if another one follows.
 * @throws UpstreamError `too_large` above `maxBytes` of content or 64 MiB of body; the error of the stream
 */
export async function keepGzip(bytes: Readable, maxBytes: number, signal: AbortSignal): Promise<SourceDocument> {
  const raw = { hash: createHash('sha256'), bytes: 0 };
  const sent: Buffer[] = [];
  const kept = (chunks: AsyncIterable<Buffer>) =>
    keep(chunks, sent, Math.min(maxBytes + CODING_BYTES, MAX_PACKED_BYTES));
  const drained = async (chunks: AsyncIterable<Buffer>) => {
    for await (const _ of measured(chunks, raw, maxBytes));
  };
  const decoder = createDecoder();
  await pipeline(bytes, kept, decoder, drained, { signal });
  const packed = await toSharedBytes(sent);
  const isKept = packed.length <= raw.bytes + MAX_ADDED_BYTES && isOneMember(packed, raw.bytes, decoder.bytesWritten);
  if (!isKept) return packStream(Readable.from(sent, { objectMode: false }), maxBytes, signal, createDecoder());
  for (const chunk of sent) release(chunk);
  return { digest: raw.hash.digest('hex'), bytes: raw.bytes, packed };
}

async function moveToShared(chunks: readonly Buffer[]): Promise<Uint8Array> {
  const bytes = await toSharedBytes(chunks);
  for (const chunk of chunks) release(chunk);
  return bytes;
}

function createDecoder() {
  return createGunzip({ chunkSize: BLOCK_BYTES });
}

/** Header of a member without optional fields (RFC 1952 section 2.3). */
const HEADER_BYTES = 10;
/** Enough for some output of a member, at most a megabyte. */
const BEGINNING_BYTES = 1024;

/**
 * Whether a body with `bytes` of content, of which the decoder has `read` so many bytes, is one member with a plain
 * header. The last member ends with its content length: if that is the whole length, all members before it are empty,
 * and the first one is not.
 */
function isOneMember(gzip: Uint8Array, bytes: number, read: number): boolean {
  // After the last member the decoder skips the rest of a chunk if it begins with a zero.
  if (read !== gzip.length || gzip[3] !== 0) return false;
  const view = new DataView(gzip.buffer, gzip.byteOffset, gzip.byteLength);
  return view.getUint32(gzip.byteLength - 4, true) === bytes && !beginsEmpty(gzip);
}

/** Whether the beginning of the first member is empty: raw inflate never continues with the next member. */
function beginsEmpty(gzip: Uint8Array): boolean {
  const beginning = gzip.subarray(HEADER_BYTES, HEADER_BYTES + BEGINNING_BYTES);
  return inflateRawSync(beginning, { finishFlush: constants.Z_SYNC_FLUSH }).length === 0;
}

/** The raw bytes of a document that is known to be small. @throws RangeError when its packed form is not */
export function unpackDocument({ packed, bytes }: SourceDocument): Buffer {
  if (packed.length > bytes + MAX_ADDED_BYTES)
    throw new RangeError('A document is longer compressed than uncompressed');
  return gunzipSync(packed, { maxOutputLength: Math.max(bytes, 1) });
}

/** Passes on `maxBytes` at the most. @throws UpstreamError `too_large` */
async function* bounded(chunks: AsyncIterable<Buffer>, maxBytes: number): AsyncGenerator<Buffer> {
  let bytes = 0;
  for await (const chunk of chunks) {
    bytes += chunk.length;
    if (bytes > maxBytes) throw new UpstreamError('too_large', `The response is larger than ${maxBytes} bytes`);
    yield chunk;
  }
}

async function* measured(
  chunks: AsyncIterable<Buffer>,
  raw: { hash: Hash; bytes: number },
  maxBytes: number,
): AsyncGenerator<Buffer> {
  for await (const chunk of bounded(chunks, maxBytes)) {
    raw.bytes += chunk.length;
    raw.hash.update(chunk);
    yield chunk;
  }
}

async function* inBlocks(chunks: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let waiting: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of chunks) {
    waiting.push(chunk);
    bytes += chunk.length;
    if (bytes < BLOCK_BYTES / 2) continue;
    yield waiting.length === 1 ? chunk : Buffer.concat(waiting, bytes);
    waiting = [];
    bytes = 0;
  }
  if (bytes > 0) yield Buffer.concat(waiting, bytes);
}

async function* keep(chunks: AsyncIterable<Buffer>, into: Buffer[], maxBytes: number): AsyncGenerator<Buffer> {
  for await (const chunk of bounded(chunks, maxBytes)) {
    into.push(chunk);
    yield chunk;
  }
}

/** Decompresses a document into a buffer of its own. @throws Error if it does not match its digest */
export function unpack({ packed, bytes, digest }: SourceDocument): Buffer {
  // With one byte more than needed, zlib finishes without a second buffer.
  const raw = gunzipSync(packed, { maxOutputLength: Math.max(1, bytes), chunkSize: Math.max(64, bytes + 1) });
  if (hash('sha256', raw) !== digest) throw new Error('A document does not match its digest');
  return raw;
}
