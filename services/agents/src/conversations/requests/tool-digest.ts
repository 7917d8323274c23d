import { hash } from 'node:crypto';
import { toPlain } from '@agent-fleet/shared/exact-json';
import { stringify } from 'safe-stable-stringify';

/** What an approval binds: `sha256:` and that of the canonical form (RFC 8785) of a tool's name and input. */
export function toolDigest(name: string, input: unknown): string {
  // Sorted by UTF-16 code units, with numbers and texts as ECMAScript writes them: that is the canonical form.
  return `sha256:${hash('sha256', stringify({ name, input: toPlain(input) }) as string)}`;
}
