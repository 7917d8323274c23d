import { readFile, stat } from 'node:fs/promises';
import { UpstreamError } from './errors.ts';
import { exchange } from './exchange.ts';
import { readResponse } from './response-body.ts';
import type { Source } from './source.ts';

/** What a server said of the bytes it sent last, for a conditional request. */
export interface Validators {
  etag: string | null;
  lastModified: string | null;
}

export interface FetchLimits {
  /** For the whole exchange: redirects, headers and body. */
  deadlineMs: number;
  /** For the body as sent and again once decompressed. */
  maxBytes: number;
}

export const FETCH_LIMITS: FetchLimits = { deadlineMs: 20_000, maxBytes: 64 * 1024 * 1024 };

export type Fetched = { status: 'unchanged' } | ({ status: 'fetched'; bytes: Buffer } & Validators);

/**
 * The bytes of a source, decompressed, or `unchanged` where it answers 304 to `validators`.
 * @throws UpstreamError; whatever it is when `signal` aborts
 */
export async function fetchSource(
  source: Source,
  validators: Validators | undefined,
  limits: FetchLimits,
  signal: AbortSignal,
): Promise<Fetched> {
  const { location } = source;
  const controller = new AbortController();
  const abort = () => controller.abort(signal.reason);
  signal.throwIfAborted();
  signal.addEventListener('abort', abort);
  // Cleared at the end: node-fetch throws into abandoned bodies when a signal fires late.
  const timer = setTimeout(() => controller.abort(), limits.deadlineMs);
  try {
    return 'file' in location
      ? await readSourceFile(location.file, limits, controller.signal)
      : await download(location.url, validators, limits, controller.signal);
  } catch (error) {
    signal.throwIfAborted();
    if (!controller.signal.aborted) throw error;
    throw new UpstreamError('timeout', `No complete answer within ${limits.deadlineMs / 1_000} s`, error);
  } finally {
    clearTimeout(timer);
    signal.removeEventListener('abort', abort);
  }
}

async function download(
  url: URL,
  validators: Validators | undefined,
  limits: FetchLimits,
  signal: AbortSignal,
): Promise<Fetched> {
  const response = await exchange(url, conditions(validators), signal);
  if (response === 'not modified') return { status: 'unchanged' };
  const bytes = await readResponse(response, limits.maxBytes, signal);
  return {
    status: 'fetched',
    bytes,
    etag: response.headers.get('etag'),
    lastModified: response.headers.get('last-modified'),
  };
}

function conditions(validators: Validators | undefined): Record<string, string> {
  return {
    ...(validators?.etag && { 'if-none-match': validators.etag }),
    ...(validators?.lastModified && { 'if-modified-since': validators.lastModified }),
  };
}

async function readSourceFile(file: string, { maxBytes }: FetchLimits, signal: AbortSignal): Promise<Fetched> {
  try {
    const { size } = await requireRegularFile(file);
    if (size > maxBytes) throw new UpstreamError('too_large', `The file is larger than ${maxBytes} bytes`);
    return { status: 'fetched', bytes: await readFile(file, { signal }), etag: null, lastModified: null };
  } catch (error) {
    if (error instanceof UpstreamError || signal.aborted) throw error;
    const { code } = error as NodeJS.ErrnoException;
    throw new UpstreamError('unreadable_file', `The file cannot be read${code ? ` (${code})` : ''}`, error);
  }
}

/** A pipe or a device may have no end. */
async function requireRegularFile(file: string) {
  const stats = await stat(file);
  if (!stats.isFile()) throw new UpstreamError('unreadable_file', 'The source is not a regular file');
  return stats;
}
