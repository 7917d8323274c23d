import type { Headers } from 'node-fetch';
import { parseHttpDate } from '../http-date.ts';

/** Upper bound for delays that a server demands. */
const MAX_WAIT_MS = 24 * 60 * 60 * 1_000;

/** The delay of `Retry-After` in milliseconds, at most a day (RFC 9110 section 10.2.3). */
export function toRetryAfterMs(headers: Headers, now = Date.now()): number | undefined {
  const text = headers.get('retry-after')?.trim();
  if (!text) return undefined;
  if (/^\d+$/.test(text)) return bounded(Number(text) * 1_000);
  const at = parseHttpDate(text);
  return at === undefined ? undefined : bounded(at - serverTime(headers, now));
}

/**
 * The freshness lifetime of a response in milliseconds, at most a day (RFC 9111 section 4.2); undefined if the server
 * gives none or forbids caching. `s-maxage` is ignored: it is for caches that the server can purge.
 */
export function toFreshForMs(headers: Headers, now = Date.now()): number | undefined {
  const directives = parseCacheControl(headers.get('cache-control') ?? '');
  if (directives.has('no-store') || directives.has('no-cache')) return undefined;
  const ageMs = 1_000 * toSeconds(headers.get('age') ?? '', 0);
  const maxAge = directives.get('max-age');
  if (maxAge !== undefined) return bounded(1_000 * toSeconds(maxAge, 0) - ageMs);
  const expires = headers.get('expires');
  if (expires === null) return undefined;
  const at = parseHttpDate(expires.trim());
  return at === undefined ? 0 : bounded(at - serverTime(headers, now) - ageMs);
}

/** Dates of a server are relative to its own clock. */
function serverTime(headers: Headers, now: number): number {
  return parseHttpDate(headers.get('date')?.trim() ?? '') ?? now;
}

function parseCacheControl(text: string): Map<string, string> {
  const directives = new Map<string, string>();
  for (const part of text.toLowerCase().split(',')) {
    const [name = '', value = ''] = part.split('=', 2);
    if (!directives.has(name.trim())) directives.set(name.trim(), value.trim().replace(/^"(.*)"$/, '$1'));
  }
  return directives;
}

function toSeconds(text: string, otherwise: number): number {
  return /^\d+$/.test(text.trim()) ? Number(text) : otherwise;
}

function bounded(ms: number): number {
  return Math.min(Math.max(ms, 0), MAX_WAIT_MS);
}
