import { hash } from 'node:crypto';
import type { Coding } from './encoding.ts';

/** 32 hexadecimal digits that identify a content. */
export function digestOf(content: Buffer | string | Float64Array): string {
  return hash('sha256', content).slice(0, 32);
}

/** Strong, so the same content in another coding has another tag (RFC 9110 section 8.8.3.3). */
export function etagFor(digest: string, coding: Coding): string {
  return coding === 'identity' ? `"${digest}"` : `"${digest}-${coding}"`;
}
