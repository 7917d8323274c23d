import { createHash } from 'node:crypto';
import { fold } from './fold.ts';

/** 48 bits of SHA-256 of the folded password, in base64url: one in 10^11 others is taken for a frequent one. */
export function fingerprintOf(password: string): string {
  return createHash('sha256').update(fold(password)).digest('base64url').slice(0, 8);
}
