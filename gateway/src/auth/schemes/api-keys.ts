import { hash } from 'node:crypto';
import { splitList } from '../../comma-list.ts';

const NAME = /^[\w.-]{1,64}$/;
/** Visible ASCII: a header cannot carry other characters unchanged. */
const KEY = /^[\x21-\x7e]+$/;

interface AcceptedKey {
  name: string;
  used: boolean;
}

/**
 * Reads `API_KEYS`: a comma-separated list of `name:key` or `key`; unnamed keys are `key-1`, `key-2`, … by position.
 * Keys are kept by their SHA-256, so that the time of a look-up reveals nothing about a key.
 * @throws Error for an invalid or duplicate name or key
 */
export function parseApiKeys(list: string) {
  const keys = new Map<string, AcceptedKey>();
  for (const [at, entry] of splitList(list).entries()) {
    const [name, key] = parseEntry(entry, at + 1);
    if ([...keys.values()].some((known) => known.name === name)) throw new Error(`duplicate name: ${name}`);
    const digest = digestOf(key);
    if (keys.has(digest)) throw new Error(`duplicate key: ${name}`);
    keys.set(digest, { name, used: false });
  }
  return {
    /** The key's name; undefined when it is not a valid key. */
    nameOf(key: string): string | undefined {
      const accepted = keys.get(digestOf(key));
      if (accepted) accepted.used = true;
      return accepted?.name;
    },
    /** Whether this process has accepted this key before: a valid key that was never used looks like a wrong one. */
    isKnown: (key: string) => keys.get(digestOf(key))?.used === true,
  };
}

function parseEntry(entry: string, number: number): [name: string, key: string] {
  const colon = entry.indexOf(':');
  const name = colon < 0 ? `key-${number}` : entry.slice(0, colon);
  const key = entry.slice(colon + 1);
  if (!NAME.test(name)) throw new Error(`invalid name in entry ${number} (1 to 64 letters, digits, _, . or -)`);
  if (!KEY.test(key)) throw new Error(`key ${name} must consist of visible ASCII characters`);
  return [name, key];
}

function digestOf(key: string): string {
  return hash('sha256', key, 'base64');
}
