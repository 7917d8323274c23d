import { gunzipSync } from 'node:zlib';
import { type Fetched, fetchSource, type KnownFiles } from '../../src/fetch/fetch-source.ts';
import type { SourceDocument } from '../../src/source/document.ts';
import type { UpstreamError } from '../../src/source/errors.ts';
import { parseSource } from '../../src/source/source.ts';

/** Long enough for any machine: without deliberate delays, no deadline expires. */
export const LIMITS = { deadlineMs: 30_000, maxBytes: 100_000 };

interface FetchOptions {
  known?: KnownFiles;
  limits?: { deadlineMs: number; maxBytes: number; sourceDeadlineMs?: number };
  signal?: AbortSignal;
  isInternal?(address: string): boolean;
}

export function fetchFrom(url: string, options: FetchOptions = {}): Promise<Fetched> {
  const { known, limits = LIMITS, signal = new AbortController().signal, isInternal } = options;
  return fetchSource(parseSource(url), known, limits, signal, isInternal);
}

/** The error of a fetch that must fail. */
export function failureOf(url: string, options?: FetchOptions): Promise<UpstreamError> {
  return fetchFrom(url, options).then(
    () => Promise.reject(new Error('fetched')),
    (error: UpstreamError) => error,
  );
}

/** The knowledge of a source after a successful fetch. */
export async function fetchFiles(url: string, options?: FetchOptions): Promise<KnownFiles & { texts: string[] }> {
  const fetched = await fetchFrom(url, options);
  if (fetched.status !== 'fetched') throw new Error(fetched.status);
  return { ...fetched, texts: fetched.files.documents.map(textOf) };
}

const textOf = ({ packed }: SourceDocument): string => gunzipSync(packed).toString();
