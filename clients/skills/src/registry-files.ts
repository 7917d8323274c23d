import { hash } from 'node:crypto';
import type { RegistrySkill } from './registry.ts';
import { SkillError } from './skill-error.ts';
import { type FetchOptions, fetchFile } from './sources/web-fetch.ts';

const MAX_RECORD_BYTES = 256 * 1024;
/** What the registry fetches at most. */
const MAX_FILE_BYTES = 256 * 1024;
const SHA_256 = /(?:^|,)\s*sha-256=:([A-Za-z0-9+/]{43}=):/;

/** How to reach the registry; `headers` go to it alone. */
export interface RegistryOptions extends Pick<FetchOptions, 'fetch' | 'signal' | 'headers'> {
  /** Without a slash at its end. */
  url: string;
}

/** A SKILL.md as the registry sent it. Digests are `sha256:` and 64 hex digits. */
export interface RegistryFile {
  bytes: Buffer;
  /** Of the bytes, computed here. */
  digest: string;
  /** The one that the registry computed of what it fetched (`Repr-Digest`, RFC 9530); undefined if it sent none. */
  computed: string | undefined;
  /** The one that the source of the skill declares, if it is another (`X-Digest-Mismatch`). */
  declared: string | undefined;
}

/** @throws SkillError: a `FetchError` if the registry does not send the file */
export async function readRegistryFile(id: string, options: RegistryOptions): Promise<RegistryFile> {
  const { bytes, headers } = await fetchOf(`${addressOf(id, options)}/skill.md`, options, MAX_FILE_BYTES);
  const base64 = SHA_256.exec(headers.get('repr-digest') ?? '')?.[1];
  return {
    bytes,
    digest: `sha256:${hash('sha256', bytes)}`,
    computed: base64 && `sha256:${Buffer.from(base64, 'base64').toString('hex')}`,
    declared: headers.get('x-digest-mismatch') ?? undefined,
  };
}

/** The fields that say where a skill is. @throws SkillError: a `FetchError` if the registry does not send them */
export async function readRegistrySkill(id: string, options: RegistryOptions): Promise<RegistrySkill> {
  const { bytes } = await fetchOf(addressOf(id, options), options, MAX_RECORD_BYTES);
  let record: unknown;
  try {
    record = JSON.parse(bytes.toString('utf8'));
  } catch {
    record = undefined;
  }
  if (isRecord(record)) return record;
  throw new SkillError(
    `${options.url} did not send the skill ${JSON.stringify(id)}`,
    'Check the address of the fleet.',
  );
}

/** @throws SkillError for an id that would lead to another path */
function addressOf(id: string, { url }: RegistryOptions): string {
  if (id === '' || id === '.' || id === '..' || !id.isWellFormed()) {
    throw new SkillError(`${JSON.stringify(id)} is not the id of a skill`);
  }
  return `${url}/api/skills/${encodeURIComponent(id)}`;
}

/** Redirects are not followed: digests hold for what the registry itself sends. */
function fetchOf(address: string, { url, headers, ...options }: RegistryOptions, maxBytes: number) {
  return fetchFile(address, {
    ...options,
    maxBytes,
    maxRedirects: 0,
    trustedOrigin: new URL(url).origin,
    headers: { ...headers, 'accept-encoding': 'identity' },
  });
}

function isRecord(value: unknown): value is RegistrySkill {
  if (!isObject(value) || !isObject(value.source)) return false;
  const { repo, url, ref, path } = value.source;
  return (
    [value.id, value.kind, value.name].every((text) => typeof text === 'string') &&
    [repo, url, ref, path, value.digest].every((text) => text === null || typeof text === 'string')
  );
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}
