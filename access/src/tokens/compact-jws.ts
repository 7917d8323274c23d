import { isUtf8 } from 'node:buffer';
import { isObject, type JsonObject } from '@agent-fleet/shared/contract/json-object';

/** In characters; the gateway's own tokens have about 300. */
export const MAX_TOKEN_LENGTH = 8_192;

/**
 * Canonical base64url (RFC 7515 section 2): no padding, no other alphabet, and zeros in the unused bits of the last
 * character. Node and jsonwebtoken accept all variants, so that one token would have many spellings.
 */
const PART = /((?:[\w-]{4})*(?:[\w-][AQgw]|[\w-]{2}[AEIMQUYcgkosw048])?)/.source;
const COMPACT = new RegExp(`^${PART}\\.${PART}\\.${PART}$`);

/**
 * Parses a token in the compact form (RFC 7515 section 7.1) without verification; `readClaims` is for after that.
 * @throws Error for any other form
 */
export function parseCompactJws(token: string) {
  const [, header, payload] = (token.length <= MAX_TOKEN_LENGTH && COMPACT.exec(token)) || [];
  if (header === undefined || payload === undefined) throw new Error('not in the compact form');
  return { header: parseObject(header), readClaims: () => parseObject(payload) };
}

/** @throws Error unless it is a JSON object in UTF-8 without duplicate names, which parsers read differently */
function parseObject(part: string): JsonObject {
  const bytes = Buffer.from(part, 'base64url');
  if (!isUtf8(bytes)) throw new Error('not UTF-8');
  const text = bytes.toString();
  const value: unknown = JSON.parse(text);
  if (!isObject(value)) throw new Error('not an object');
  if (countNames(text) !== countMembers(value)) throw new Error('a name twice');
  return value;
}

const STRINGS = /"(?:[^"\\]|\\.)*"(\s*:)?/g;

/** In a JSON text, a string followed by a colon is a member's name. */
function countNames(text: string): number {
  let names = 0;
  for (const [, colon] of text.matchAll(STRINGS)) if (colon !== undefined) names++;
  return names;
}

function countMembers(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0;
  const own = Array.isArray(value) ? 0 : Object.keys(value).length;
  return Object.values(value).reduce((sum: number, inner: unknown) => sum + countMembers(inner), own);
}
