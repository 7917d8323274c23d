import { hash } from 'node:crypto';
import type { components } from '@agent-fleet/sdk';
import type { SkillFolder } from './content/skill-content.ts';
import { isObject, SkillError } from './skill-error.ts';
import { isLoopback, parseSource, type SkillSource } from './sources/skill-source.ts';
import { type FetchOptions, fetchFile } from './sources/web-fetch.ts';

/** A skill as the registry has it. */
export type RegistrySkill = components['schemas']['Skill'];

/** The registry of the fleet. */
export interface Registry {
  /** Without a slash at its end. */
  url: string;
  /** @throws FleetError */
  read(id: string): Promise<RegistrySkill>;
}

const OWNER_AND_NAME = /^[\w-][\w.-]*\/[\w.-]+$/;
const COMMIT = /^[0-9a-f]{40}$/i;
const GITHUB_HOSTS: ReadonlySet<string> = new Set(['github.com', 'www.github.com', 'raw.githubusercontent.com']);

/**
 * Where the registry says that a skill is: its repository, its URL, or the SKILL.md that the registry fetches.
 * @throws SkillError if it is no skill, or if its location is not allowed
 */
export function sourceOf(skill: RegistrySkill, registryUrl: string): SkillSource {
  if (skill.kind !== 'skill' && skill.kind !== 'plugin') {
    throw new SkillError(`${skill.id} is of kind ${skill.kind}, not a skill`, 'Only skills can be added.');
  }
  const { repo, url, ref, path } = skill.source;
  const page = url === null ? null : URL.parse(url);
  const folder = path?.replace(/^(?:\.?\/)+|^\.$|\/+$/g, '').replace(/(?:^|\/)SKILL\.md$/, '');
  const named = folder === undefined || folder === null ? `@${skill.name}` : '';
  if (repo !== null && OWNER_AND_NAME.test(repo) && (page === null || GITHUB_HOSTS.has(page.hostname))) {
    const base = parseSource(`https://github.com/${repo}`, '/');
    return { ...base, ...(ref && { ref }), ...(named ? { skill: skill.name } : { path: folder ?? '' }) };
  }
  if (
    page !== null &&
    (page.protocol === 'https:' || (page.protocol === 'http:' && isLoopback(new URL(registryUrl))))
  ) {
    const source = parseSource(page.href, '/');
    if (source.kind === 'git') {
      const where = source.path ?? folder;
      return {
        ...source,
        ...(ref && (source.ref === undefined || COMMIT.test(ref)) && { ref }),
        ...(where === undefined || where === null ? { skill: skill.name } : { path: where }),
      };
    }
    if (page.pathname.endsWith('/SKILL.md')) return source;
  }
  const address = `${registryUrl}/api/skills/${encodeURIComponent(skill.id)}`;
  return { kind: 'web', type: 'well-known', url: address };
}

/** How the digest of the registry compares: `none` if it has none. */
type DigestResult = 'same' | 'differs' | 'none';

/** A digest of a folder is compared with `computedHash`: the only one that is written down for folders of skills. */
export function compareDigest(
  { digest, digest_of }: Pick<RegistrySkill, 'digest' | 'digest_of'>,
  content: Pick<SkillFolder, 'skillFileHash' | 'computedHash' | 'installedHash'>,
): DigestResult {
  if (digest === null) return 'none';
  const hex = digest.replace(/^sha256:/, '');
  if (digest_of === 'skill_md') return hex === content.skillFileHash ? 'same' : 'differs';
  return hex === content.computedHash || hex === content.installedHash ? 'same' : 'differs';
}

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
