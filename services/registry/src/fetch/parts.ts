import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import { type Continuation, HINTS } from '../read/continuation.ts';
import { readPart } from '../read/registry-document.ts';
import type { SourceDocument } from '../source/document.ts';
import { UpstreamError } from '../source/errors.ts';
import type { FileLocation, ReadLimits, SourceReader } from './source-reader.ts';
import { fetchTogether, MAX_PART_BYTES, requireDistinct, TotalSize } from './together.ts';

const MAX_FILES = 2_000;
/** Pages and lists of chunks are small. Larger files are not searched for a rest. */
const MAX_PAGE_BYTES = 4 * 1024 * 1024;

const unpack = promisify(gunzip);

/** The other files of a list of records that begins with one file. */
export interface Rest {
  documents: readonly SourceDocument[];
  /** False for a file that only lists its chunks. */
  firstHasRecords: boolean;
}

interface Reading {
  reader: SourceReader;
  limits: ReadLimits;
  signal: AbortSignal;
}

/**
 * Fetches all chunks that a file lists, or one page after another: by its address, or with the cursor as query
 * parameter of the first page's URL. Ends at a page or cursor that repeats, and after 2,000 files. Undefined without a
 * rest. Every refresh fetches all of them: an unchanged first page says nothing about the others.
 * @throws UpstreamError what reading throws; `bad_manifest`, `too_large`
 */
export async function fetchRest(
  document: SourceDocument,
  location: FileLocation,
  reading: Reading,
): Promise<Rest | undefined> {
  const part = await readContinued(document);
  if (part === undefined) return undefined;
  const { hasRecords, continuation } = part;
  const { chunks } = continuation;
  const documents = chunks
    ? await fetchChunks(chunks, location, reading)
    : hasRecords
      ? await fetchPages(document, continuation, location, reading)
      : [];
  return documents.length === 0 ? undefined : { documents, firstHasRecords: hasRecords };
}

async function readContinued(document: SourceDocument) {
  if (document.bytes > MAX_PAGE_BYTES) return undefined;
  const bytes = await unpack(document.packed, { maxOutputLength: Math.max(1, document.bytes) });
  if (!HINTS.test(bytes.toString('latin1'))) return undefined;
  try {
    return readPart(bytes);
  } catch (error) {
    // The build refuses the file.
    if (error instanceof UpstreamError) return undefined;
    throw error;
  }
}

async function fetchChunks(chunks: readonly string[], from: FileLocation, reading: Reading): Promise<SourceDocument[]> {
  const locations = chunks.map((chunk) => reading.reader.resolve(chunk, from));
  requireDistinct(from, locations, 'The file lists a chunk twice');
  return fetchTogether(locations, reading.signal, (location, _, signal) => fetchPart(location, { ...reading, signal }));
}

async function fetchPages(
  first: SourceDocument,
  continuation: Continuation,
  from: FileLocation,
  reading: Reading,
): Promise<SourceDocument[]> {
  const pages: SourceDocument[] = [];
  const digests = new Set([first.digest]);
  const visited = new Set([from.url.href]);
  const sizes = new TotalSize();
  let next = toNextPage(continuation.next, from, reading.reader);
  while (next !== undefined && !visited.has(next.url.href) && pages.length < MAX_FILES - 1) {
    visited.add(next.url.href);
    const page = sizes.add(await fetchPart(next, reading));
    if (digests.has(page.digest)) break;
    digests.add(page.digest);
    const part = await readContinued(page);
    if (part?.hasRecords === false) break;
    pages.push(page);
    next = toNextPage(part?.continuation.next, from, reading.reader);
  }
  return pages;
}

/** Undefined for a file on disk that belongs to an API: its pages are not beside it. */
function toNextPage(next: Continuation['next'], from: FileLocation, reader: SourceReader): FileLocation | undefined {
  const isOnDisk = from.url.protocol === 'file:';
  if (next === undefined || (isOnDisk && (typeof next !== 'string' || URL.canParse(next)))) return undefined;
  if (typeof next === 'string') return reader.resolve(next, from);
  const url = new URL(from.url);
  for (const [name, value] of Object.entries(next)) url.searchParams.set(name, value);
  return reader.resolve(url.href, from);
}

async function fetchPart(location: FileLocation, { reader, limits, signal }: Reading): Promise<SourceDocument> {
  const maxBytes = Math.min(limits.maxBytes, MAX_PART_BYTES);
  const { document } = await reader.read(location, undefined, { ...limits, maxBytes }, signal);
  if (document === undefined) throw new UpstreamError('bad_manifest', 'A part is reported as unchanged');
  return document;
}
