import { hash } from 'node:crypto';
import { CODINGS, type Coding, encode } from './encoding.ts';

/** One body in one content coding. */
export interface Variant {
  body: Buffer;
  etag: string;
}

/** A body in every coding, made once and served many times. */
export type Representation = Record<Coding, Variant>;

/** A body in every coding, off the main thread. */
export async function createRepresentation(body: Buffer): Promise<Representation> {
  const digest = digestOf(body);
  const bodies = await Promise.all(CODINGS.map((coding) => encode(body, coding, 'thorough')));
  const variants = CODINGS.map((coding, at) => [coding, { body: bodies[at], etag: etagFor(digest, coding) }]);
  return Object.fromEntries(variants) as Representation;
}

export function digestOf(body: Buffer | string): string {
  return hash('sha256', body).slice(0, 32);
}

/** Strong, so the same content in another coding has another tag (RFC 9110 section 8.8.3.3). */
export function etagFor(digest: string, coding: Coding): string {
  return coding === 'identity' ? `"${digest}"` : `"${digest}-${coding}"`;
}
