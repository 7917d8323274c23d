import pLimit from 'p-limit';
import type { SourceDocument } from '../build/build-input.ts';
import { UpstreamError } from '../source/errors.ts';
import { type ShardEntry, toPointer } from './manifest.ts';
import type { FileLocation, ReadLimits, SourceReader } from './source-reader.ts';

export const MAX_AT_ONCE = 4;
export const MAX_SHARD_BYTES = 64 * 1024 * 1024;

/** Limits of all shards together, uncompressed and compressed. */
export const MAX_ALL_BYTES = 512 * 1024 * 1024;
export const MAX_ALL_PACKED_BYTES = 128 * 1024 * 1024;

/**
 * Returns the shards of a manifest in its order. Fetches those that `known` lacks, four at a time. A failure stops all.
 * @throws UpstreamError `wrong_digest`, `bad_manifest`, `too_large`, and what reading throws
 */
export async function fetchShards(
  entries: readonly ShardEntry[],
  manifest: FileLocation,
  known: readonly SourceDocument[],
  reader: SourceReader,
  limits: ReadLimits,
  signal: AbortSignal,
): Promise<SourceDocument[]> {
  requireBounded(entries, limits);
  const locations = resolveAll(entries, manifest, reader);
  const byDigest = new Map(known.map((document) => [document.digest, document]));
  const stop = new AbortController();
  const within = AbortSignal.any([signal, stop.signal]);
  let packedBytes = 0;
  try {
    return await pLimit(MAX_AT_ONCE).map(entries, fetchShard);
  } finally {
    stop.abort();
  }

  async function fetchShard(entry: ShardEntry, at: number): Promise<SourceDocument> {
    within.throwIfAborted();
    const document = byDigest.get(entry.sha256) ?? (await readShard(entry, locations[at] ?? manifest));
    requireListed(document, entry);
    packedBytes += document.packed.length;
    if (packedBytes > MAX_ALL_PACKED_BYTES)
      throw new UpstreamError('too_large', 'The compressed shards take too much memory');
    return document;
  }

  async function readShard({ path, bytes }: ShardEntry, location: FileLocation): Promise<SourceDocument> {
    try {
      const { document } = await reader.read(location, undefined, { ...limits, maxBytes: bytes }, within);
      return requireShard(document, path);
    } catch (error) {
      if (!(error instanceof UpstreamError && error.code === 'too_large')) throw error;
      throw new UpstreamError('wrong_digest', `${toShown(path)} is longer than the manifest declares`, error);
    }
  }
}

function requireBounded(entries: readonly ShardEntry[], { maxBytes }: ReadLimits): void {
  const most = Math.min(maxBytes, MAX_SHARD_BYTES);
  const large = entries.find(({ bytes }) => bytes > most);
  if (large) throw new UpstreamError('too_large', `${toShown(large.path)} is larger than ${most} bytes`);
  if (entries.reduce((sum, { bytes }) => sum + bytes, 0) > MAX_ALL_BYTES) {
    throw new UpstreamError('too_large', `The shards together are larger than ${MAX_ALL_BYTES} bytes`);
  }
}

/** Called before anything is fetched. */
function resolveAll(entries: readonly ShardEntry[], manifest: FileLocation, reader: SourceReader): FileLocation[] {
  const locations = entries.map(({ path }) => reader.resolve(path, manifest));
  const distinct = new Set([manifest, ...locations].map(({ url }) => url.href));
  if (distinct.size <= locations.length) throw new UpstreamError('bad_manifest', 'The manifest lists a file twice');
  return locations;
}

function requireShard(document: SourceDocument | undefined, path: string): SourceDocument {
  if (document === undefined || toPointer(document)) {
    throw new UpstreamError('bad_manifest', `${toShown(path)} is itself a pointer`);
  }
  return document;
}

function requireListed(document: SourceDocument, { path, sha256, bytes }: ShardEntry): void {
  if (document.digest !== sha256 || document.bytes !== bytes) {
    throw new UpstreamError('wrong_digest', `${toShown(path)} does not match its digest in the manifest`);
  }
}

/** The file name without folders, sanitized. */
function toShown(path: string): string {
  const name = path.split('?')[0]?.split('/').at(-1) ?? '';
  return `Shard ${name.replace(/[^\w.-]/g, '_').slice(0, 60)}`;
}
