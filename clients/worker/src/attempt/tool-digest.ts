import { hash } from 'node:crypto';

/** `sha256:` of the call in the form of RFC 8785: what a person has seen is compared with what would run. */
export function toolDigest({ name, input }: { name: string; input: unknown }): string {
  return `sha256:${hash('sha256', canonical({ name, input }))}`;
}

/** Names in the order of their UTF-16 code units; numbers and texts are written as `JSON.stringify` does. */
function canonical(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map((item) => canonical(item ?? null)).join(',')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value ?? null);
  const entries = Object.entries(value).filter(([, item]) => item !== undefined);
  entries.sort(([a], [b]) => (a < b ? -1 : 1));
  return `{${entries.map(([name, item]) => `${JSON.stringify(name)}:${canonical(item)}`).join(',')}}`;
}
