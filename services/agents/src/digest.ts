import { hash } from 'node:crypto';
import { stringify } from 'safe-stable-stringify';

/** SHA-256 of a JSON value: the same for objects whose keys come in another order. */
export function digestOf(value: unknown): string {
  return hash('sha256', stringify(value) ?? '');
}
