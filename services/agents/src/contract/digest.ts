import { hash } from 'node:crypto';
import { stringify } from 'safe-stable-stringify';

/** SHA-256 of a JSON value: independent of the order of object keys. */
export function digestOf(value: unknown): string {
  return hash('sha256', stringify(value) ?? '');
}
