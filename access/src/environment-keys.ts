import { hash } from 'node:crypto';
import { splitList } from '@agent-fleet/shared/comma-list';
import { findWeakness, parsed } from '@agent-fleet/shared/config';
import { isRole, type Role } from '@agent-fleet/shared/contract/scopes';

const NAME = /^[\w.-]{1,64}$/;
/** Keys of the API are known to services by their ids. */
const UUID = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/i;
/** Visible ASCII: a header cannot carry other characters unchanged. */
const KEY = /^[\x21-\x7e]+$/;
const MIN_STRONG_LENGTH = 16;

/** A key of `API_KEYS`. */
export interface EnvironmentKey {
  /** A UUID made from the name, so that all processes have the same. */
  id: string;
  name: string;
  role: Role;
}

interface AcceptedKey extends EnvironmentKey {
  used: boolean;
}

export type EnvironmentKeys = ReturnType<typeof parseApiKeys>;

/**
 * Reads `API_KEYS`: a comma-separated list of `name:role:key`, `name:key` or `key`. Without a role it is `admin`;
 * unnamed keys are `key-1`, `key-2`, … by position. Keys are kept by their SHA-256, so that the time of a look-up
 * reveals nothing about a key.
 * @throws Error for an invalid or duplicate name or key
 */
export function parseApiKeys(list: string) {
  const keys = new Map<string, AcceptedKey>();
  const weak: string[] = [];
  for (const [at, entry] of splitList(list).entries()) {
    const { name, role, key } = parseEntry(entry, at + 1);
    if ([...keys.values()].some((known) => known.name === name)) throw new Error(`duplicate name: ${name}`);
    const digest = digestOf(key);
    if (keys.has(digest)) throw new Error(`duplicate key: ${name}`);
    keys.set(digest, { id: toId(name), name, role, used: false });
    const weakness = findWeakness(key, MIN_STRONG_LENGTH);
    if (weakness) weak.push(`key ${name} ${weakness}`);
  }
  return {
    /** All keys, without their texts. */
    list: [...keys.values()].map(({ id, name, role }): EnvironmentKey => ({ id, name, role })),
    /** The rules that weak keys break, one line for each. */
    weak,
    /** Undefined when it is not a valid key. */
    find(key: string): EnvironmentKey | undefined {
      const accepted = keys.get(digestOf(key));
      if (accepted) accepted.used = true;
      return accepted;
    },
    /** Whether this process has accepted this key before: a valid key that was never used looks like a wrong one. */
    isKnown: (key: string) => keys.get(digestOf(key))?.used === true,
  };
}

/** `API_KEYS`, which the gateway and identity read. */
export const apiKeysVariable = parsed(parseApiKeys)
  .default(parseApiKeys(''))
  .meta({ example: 'ci:$(openssl rand -hex 24)', secret: true, description: 'accepted keys: `name:role:key,…`' });

function parseEntry(entry: string, number: number): { name: string; role: Role; key: string } {
  const [first = '', second = '', ...rest] = entry.split(':');
  const hasRole = rest.length > 0 && isRole(second);
  const name = entry.includes(':') ? first : `key-${number}`;
  const key = hasRole ? rest.join(':') : entry.slice(entry.indexOf(':') + 1);
  if (!NAME.test(name)) throw new Error(`invalid name in entry ${number} (1 to 64 letters, digits, _, . or -)`);
  if (UUID.test(name)) throw new Error(`the name of entry ${number} has the form of an id: choose another one`);
  if (!KEY.test(key)) throw new Error(`key ${name} must consist of visible ASCII characters`);
  return { name, role: hasRole ? second : 'admin', key };
}

function digestOf(key: string): string {
  return hash('sha256', key, 'base64');
}

/** A UUIDv8 (RFC 9562 section 5.8). */
function toId(name: string): string {
  const hex = hash('sha256', `agent-fleet environment key ${name}`);
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-8${hex.slice(13, 16)}-8${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
}
