import { hash } from 'node:crypto';

/** A strong entity tag: the quoted SHA-1 (RFC 9110 section 8.8.3). Lua scripts get the same from `redis.sha1hex`. */
export function etagOf(body: string | Buffer): string {
  return `"${hash('sha1', body)}"`;
}

const TAGS = /"[^"]*"/g;

/**
 * The entity tags in an `If-Match` or `If-None-Match` header; `'*'` matches any. Weak ones too are without `W/`: ours
 * are strong, and a proxy that compresses makes them weak (ADR 67).
 */
export function parseEtags(header: string): string[] | '*' {
  return header.trim() === '*' ? '*' : (header.match(TAGS) ?? []);
}

/** Whether `If-None-Match` names this representation (RFC 9110 section 13.1.2). `etag` is strong. */
export function noneMatchHits(header: string | undefined, etag: string): boolean {
  if (header === undefined) return false;
  if (header === etag) return true;
  const tags = parseEtags(header);
  return tags === '*' || tags.includes(etag);
}
