import { hash } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { noneMatchHits } from '@agent-fleet/shared/http/etag';
import { parseHttpDate } from '../../http-date.ts';
import { CACHE_CONTROL } from './contract.ts';
import type { Coding } from './encoding.ts';

/** What identifies a version of a response. */
export interface Validators {
  etag: string;
  /** Milliseconds. */
  lastModified: number;
}

/** 32 hexadecimal digits that identify a content. */
export function digestOf(content: Buffer | string | Float64Array): string {
  return hash('sha256', content).slice(0, 32);
}

/** Strong, so the same content in another coding has another tag (RFC 9110 section 8.8.3.3). */
export function etagFor(digest: string, coding: Coding): string {
  return coding === 'identity' ? `"${digest}"` : `"${digest}-${coding}"`;
}

/** Sets the headers that a 200 and a 304 have in common. */
export function setValidators(res: ServerResponse, { etag, lastModified }: Validators): void {
  res.setHeader('etag', etag);
  res.setHeader('last-modified', httpDate(lastModified));
  res.setHeader('cache-control', CACHE_CONTROL);
  res.setHeader('vary', 'Accept-Encoding');
}

/**
 * Whether the client's copy is current, for new and for cached responses. `If-Modified-Since` counts only without
 * `If-None-Match` and if it is a valid HTTP-date (RFC 9110 section 13.1.3).
 */
export function isNotModified(req: IncomingMessage, { etag, lastModified }: Validators): boolean {
  const known = req.headers['if-none-match'];
  if (known !== undefined) return noneMatchHits(known, etag);
  const header = req.headers['if-modified-since'];
  const since = header === undefined ? undefined : parseHttpDate(header);
  return since !== undefined && Math.floor(lastModified / 1_000) * 1_000 <= since;
}

let last = { time: Number.NaN, text: '' };

/** Memoized, as most responses have the time of the snapshot. */
function httpDate(time: number): string {
  if (time !== last.time) last = { time, text: new Date(time).toUTCString() };
  return last.text;
}
