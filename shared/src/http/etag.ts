import { hash } from 'node:crypto';

/** A strong entity tag: the quoted SHA-1 (RFC 9110 section 8.8.3). Lua scripts get the same from `redis.sha1hex`. */
export function etagOf(body: string | Buffer): string {
  return `"${hash('sha1', body)}"`;
}

const TAGS = /(?:W\/)?"[^"]*"/g;

/** The entity tags in an `If-Match` or `If-None-Match` header; `'*'` matches any. */
export function parseEtags(header: string): string[] | '*' {
  return header.trim() === '*' ? '*' : (header.match(TAGS) ?? []);
}

/** Whether `If-None-Match` names this representation, by weak comparison (RFC 9110 section 13.1.2). */
export function noneMatchHits(header: string | undefined, etag: string): boolean {
  if (header === undefined) return false;
  if (header === etag) return true;
  const tags = parseEtags(header);
  return tags === '*' || tags.some((tag) => tag.replace(/^W\//, '') === etag.replace(/^W\//, ''));
}
