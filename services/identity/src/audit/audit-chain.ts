import { hash } from 'node:crypto';

/** The hash before the first entry. */
export const GENESIS = '0'.repeat(64);

/** SHA-256 in hex of the hash before, a line break, and the entry as canonical JSON. */
export function chainHash(previous: string, entry: unknown): string {
  return hash('sha256', `${previous}\n${toCanonicalJson(entry)}`);
}

/** JSON without blanks, with sorted keys (RFC 8785, for values without numbers). */
export function toCanonicalJson(value: unknown): string {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map(toCanonicalJson).join(',')}]`;
  const fields = value as Record<string, unknown>;
  const names = Object.keys(fields).sort();
  return `{${names.map((name) => `${JSON.stringify(name)}:${toCanonicalJson(fields[name])}`).join(',')}}`;
}
