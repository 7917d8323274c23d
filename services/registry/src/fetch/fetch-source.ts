import { hash } from 'node:crypto';
import { sep } from 'node:path';
import { isInternalAddress } from '@agent-fleet/shared/http/internal-addresses';
import type { SourceDocument, SourceFiles } from '../source/document.ts';
import type { Source } from '../source/source.ts';
import { withDeadline } from './deadline.ts';
import { createDiskReader } from './disk-reader.ts';
import { withoutCredentials } from './exchange.ts';
import { createHttpReader } from './http-reader.ts';
import { MAX_MANIFEST_BYTES, type Pointer, readManifest, toPointer } from './manifest.ts';
import { fetchRest } from './parts.ts';
import { fetchShards } from './shards.ts';
import { readSkillFolder } from './skill-folder.ts';
import type { FileLocation, ReadFile, ReadLimits, SourceReader, Validators } from './source-reader.ts';

export interface FetchLimits extends ReadLimits {
  /** Per source with all of its files; default two minutes. */
  sourceDeadlineMs?: number;
}

export const FETCH_LIMITS: FetchLimits = { deadlineMs: 20_000, maxBytes: 256 * 1024 * 1024 };

const SOURCE_DEADLINE_MS = 120_000;

/** The files that were fetched before. */
export interface KnownFiles {
  files: SourceFiles;
  validators: Validators;
}

/** `digest` is that of the files, `freshForMs` their freshness lifetime. */
export type Fetched = { digest: string; validators: Validators; freshForMs: number | undefined } & (
  | { status: 'unchanged' }
  | { status: 'fetched'; files: SourceFiles }
);

interface Fetching {
  reader: SourceReader;
  known: KnownFiles | undefined;
  limits: FetchLimits;
  signal: AbortSignal;
}

/**
 * Fetches all files of a source, or returns `unchanged` if they equal `known`, by a 304 or by content. For a pointer it
 * fetches the manifest and the shards that `known` lacks, for a part of a list the other parts. Documents of `known`
 * are reused, not copied.
 * @throws UpstreamError when any file fails: a source is never partial; the reason of `signal` when that aborts
 */
export function fetchSource(
  source: Source,
  known: KnownFiles | undefined,
  limits: FetchLimits,
  signal: AbortSignal,
  isInternal = isInternalAddress,
): Promise<Fetched> {
  const { location } = source;
  const reader = 'file' in location ? createDiskReader(location.file) : createHttpReader(location, isInternal);
  const deadlineMs = limits.sourceDeadlineMs ?? Math.max(SOURCE_DEADLINE_MS, limits.deadlineMs);
  const whole = known && isWhole(known) ? known : undefined;
  return withDeadline(deadlineMs, signal, (within) =>
    isFolder(location)
      ? fetchFolder(location.file, whole, limits, within)
      : fetchAll({ reader, known: whole, limits, signal: within }),
  );
}

function isFolder(location: Source['location']): location is { file: string } {
  return 'file' in location && location.file.endsWith(sep);
}

async function fetchFolder(
  folder: string,
  known: KnownFiles | undefined,
  limits: FetchLimits,
  signal: AbortSignal,
): Promise<Fetched> {
  const files = toFiles(await readSkillFolder(folder, limits, signal), [0]);
  const root = { etag: null, lastModified: null };
  const meta = { digest: files.digest, validators: { root }, freshForMs: undefined };
  return files.digest === known?.files.digest
    ? { status: 'unchanged', ...meta }
    : { status: 'fetched', files, ...meta };
}

async function fetchAll(fetching: Fetching): Promise<Fetched> {
  const { reader, known, limits, signal } = fetching;
  const root = await reader.read(reader.root, known?.validators.root, limits, signal);
  const document = root.document ?? requireKnown(known, 0);
  const pointer = isPointer(root, known) ? toPointer(document) : undefined;
  const { files, manifest } = pointer
    ? await fetchBehind(pointer, document, root.location, fetching)
    : { files: await fetchWhole(root, document, fetching), manifest: undefined };
  const validators: Validators = { root: root.validator, ...(manifest && { manifest }) };
  const { freshForMs } = root;
  const meta = { digest: files.digest, validators, freshForMs };
  return meta.digest === known?.files.digest ? { status: 'unchanged', ...meta } : { status: 'fetched', files, ...meta };
}

/** The file with its rest, if it is a part. */
async function fetchWhole(root: ReadFile, document: SourceDocument, fetching: Fetching): Promise<SourceFiles> {
  const rest = root.isHtml ? undefined : await fetchRest(document, root.location, fetching);
  if (rest === undefined) return toFiles([document], [0]);
  const numbers = rest.documents.map((_, at) => at + 1);
  return toFiles([document, ...rest.documents], rest.firstHasRecords ? [0, ...numbers] : numbers);
}

/** A web page is refused later, when it is parsed. */
function isPointer({ document, isHtml }: ReadFile, known: KnownFiles | undefined): boolean {
  return document ? !isHtml : (known?.files.documents.length ?? 0) > 1;
}

async function fetchBehind(pointer: Pointer, document: SourceDocument, location: FileLocation, fetching: Fetching) {
  const { reader, known, limits, signal } = fetching;
  const { manifest, validator, location: from } = await fetchManifest(pointer, location, fetching);
  if (known && isSame(known.files.documents, [document, manifest])) return { files: known.files, manifest: validator };
  const { shards, total_count: totalCount = pointer.total_count } = readManifest(manifest);
  const before = known?.files.recordDocuments.flatMap((at) => known.files.documents[at] ?? []) ?? [];
  const documents = [document, manifest, ...(await fetchShards(shards, from, before, reader, limits, signal))];
  const recordDocuments = shards.map((_, at) => at + 2);
  const files = { ...toFiles(documents, recordDocuments), counts: shards.map(({ count }) => count), totalCount };
  return { files, manifest: validator };
}

async function fetchManifest(pointer: Pointer, from: FileLocation, { reader, known, limits, signal }: Fetching) {
  const location = reader.resolve(pointer.manifest, from);
  const key = hash('sha256', withoutCredentials(location.url).href).slice(0, 16);
  const before = known?.validators.manifest;
  const maxBytes = Math.min(limits.maxBytes, MAX_MANIFEST_BYTES);
  const validator = before?.key === key ? before : undefined;
  const read = await reader.read(location, validator, { ...limits, maxBytes }, signal);
  const manifest = read.document ?? requireKnown(known, 1);
  return { manifest, validator: { ...read.validator, key }, location: read.location };
}

/** Pointer and manifest determine the digests of all other files. */
function isSame(known: readonly SourceDocument[], now: readonly SourceDocument[]): boolean {
  return now.every(({ digest }, at) => digest === known[at]?.digest);
}

/** If a document is missing, all files are fetched again. */
function isWhole({ files: { documents, recordDocuments } }: KnownFiles): boolean {
  return documents.length > 0 && recordDocuments.every((at) => documents[at] !== undefined);
}

function requireKnown(known: KnownFiles | undefined, at: number): SourceDocument {
  const document = known?.files.documents[at];
  if (document === undefined) throw new Error('An unknown file is reported as unchanged');
  return document;
}

function toFiles(documents: readonly SourceDocument[], recordDocuments: readonly number[]): SourceFiles {
  const digests = documents.map(({ digest }) => digest);
  const digest = digests.length === 1 ? String(digests[0]) : hash('sha256', digests.join('\n'));
  return { digest, documents, recordDocuments };
}
