import type { SourceDocument } from '../source/document.ts';
import { UpstreamError } from '../source/errors.ts';
import { type ShardEntry, toPointer } from './manifest.ts';
import type { FileLocation, ReadLimits, SourceReader } from './source-reader.ts';
import { fetchTogether, MAX_ALL_BYTES, MAX_PART_BYTES, requireDistinct } from './together.ts';

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
  const locations = entries.map(({ path }) => reader.resolve(path, manifest));
  requireDistinct(manifest, locations, 'The manifest lists a file twice');
  const byDigest = new Map(known.map((document) => [document.digest, document]));
  return fetchTogether(entries, signal, async (entry, at, within) => {
    const document =
      byDigest.get(entry.sha256) ??
      (await readShard(entry, locations[at] ?? manifest, { reader, limits, signal: within }));
    requireListed(document, entry);
    return document;
  });
}

async function readShard(
  { path, bytes }: ShardEntry,
  location: FileLocation,
  { reader, limits, signal }: { reader: SourceReader; limits: ReadLimits; signal: AbortSignal },
): Promise<SourceDocument> {
  try {
    const { document } = await reader.read(location, undefined, { ...limits, maxBytes: bytes }, signal);
    return requireShard(document, path);
  } catch (error) {
    if (!(error instanceof UpstreamError && error.code === 'too_large')) throw error;
    throw new UpstreamError('wrong_digest', `${toShown(path)} is longer than the manifest declares`, error);
  }
}

function requireBounded(entries: readonly ShardEntry[], { maxBytes }: ReadLimits): void {
  const most = Math.min(maxBytes, MAX_PART_BYTES);
  const large = entries.find(({ bytes }) => bytes > most);
  if (large) throw new UpstreamError('too_large', `${toShown(large.path)} is larger than ${most} bytes`);
  if (entries.reduce((sum, { bytes }) => sum + bytes, 0) > MAX_ALL_BYTES) {
    throw new UpstreamError('too_large', `The shards together are larger than ${MAX_ALL_BYTES} bytes`);
  }
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
