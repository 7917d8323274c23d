import type { Skill } from '../../skills/skill.ts';

/** The `$schema` of Agent Skills Discovery 0.2.0. */
export const WELL_KNOWN_SCHEMA = 'https://schemas.agentskills.io/discovery/0.2.0/schema.json';

const FILE = 'SKILL.md';
const RAW_HOST = 'https://raw.githubusercontent.com';

/** Undefined unless it is a valid skill with the digest of its SKILL.md, which can be located. */
export function toWellKnownEntry(skill: Skill) {
  const { name, description, digest, valid } = skill;
  if (!valid || skill.kind !== 'skill' || skill.digest_of !== 'skill_md' || digest === null) return undefined;
  const url = locate(skill.source);
  return url === undefined ? undefined : { name, type: 'skill-md' as const, description, url, digest };
}

/**
 * The URL of the SKILL.md: `source.url` if it ends in that file (for a GitHub page of the file, the raw file); else it
 * is built from the path in a GitHub repository. A repository outside GitHub always has a `source.url` outside GitHub.
 */
function locate({ repo, path, ref, url }: Skill['source']): string | undefined {
  const address = url === null ? undefined : URL.parse(url);
  if (address && isFile(address.pathname)) return isGitHub(address) ? rawOfPage(address) : address.href;
  const onGitHub = address ? isGitHub(address) : true;
  if (!onGitHub || repo === null || path === null || !OWNER_AND_NAME.test(repo)) return undefined;
  const file = isFile(path) ? path : `${path.replace(/\/+$/, '')}/${FILE}`;
  const raw = `${RAW_HOST}/${repo}/${encodePath(ref ?? 'HEAD')}/${encodePath(file.replace(/^(\.?\/)+/, ''))}`;
  // A path with dot segments would point elsewhere.
  return URL.parse(raw)?.href === raw ? raw : undefined;
}

const OWNER_AND_NAME = /^[\w-][\w.-]*\/[\w.-]+$/;

function isFile(path: string): boolean {
  return path === FILE || path.endsWith(`/${FILE}`);
}

function isGitHub({ hostname }: URL): boolean {
  return hostname === 'github.com' || hostname === 'www.github.com';
}

/** `/owner/name/blob/ref/path`, or `raw` for `blob`. */
function rawOfPage({ pathname }: URL): string | undefined {
  const [, owner, name, kind, ...rest] = pathname.split('/');
  if (rest.length < 2 || (kind !== 'blob' && kind !== 'raw')) return undefined;
  return `${RAW_HOST}/${owner}/${name}/${rest.join('/')}`;
}

function encodePath(path: string): string {
  return path.split('/').map(encodeURIComponent).join('/');
}
