import type { Skill } from '../skills/skill.ts';

/** Names the format: Agent Skills Discovery 0.2.0. It is the index's `$schema`. */
export const WELL_KNOWN_SCHEMA = 'https://schemas.agentskills.io/discovery/0.2.0/schema.json';

const FILE = 'SKILL.md';
const RAW_HOST = 'https://raw.githubusercontent.com';

/** An entry of `/.well-known/agent-skills/index.json`. */
export interface WellKnownEntry {
  name: string;
  type: 'skill-md';
  description: string;
  url: string;
  digest: string;
}

/**
 * Of a skill whose digest is that of its SKILL.md. Undefined for one that breaks the specification or has none, or
 * whose SKILL.md cannot be located.
 */
export function toWellKnownEntry(skill: Skill): WellKnownEntry | undefined {
  const { name, description, digest, valid } = skill;
  if (!valid || digest === null) return undefined;
  const url = locate(skill.source);
  return url === undefined ? undefined : { name, type: 'skill-md', description, url, digest };
}

/**
 * Where the SKILL.md itself is. An address of `source.url` counts only when it ends in that file, as others are web
 * pages; GitHub's page of the file is one too, so that its raw address is given. Else it is made from a repository on
 * GitHub and a path within it; one elsewhere always has an address that is not GitHub's.
 */
function locate({ repo, path, ref, url }: Skill['source']): string | undefined {
  const address = url === null ? undefined : URL.parse(url);
  if (address && isFile(address.pathname)) return isGitHub(address) ? rawOfPage(address) : address.href;
  const onGitHub = address ? isGitHub(address) : true;
  if (!onGitHub || repo === null || path === null || !OWNER_AND_NAME.test(repo)) return undefined;
  const file = isFile(path) ? path : `${path.replace(/\/+$/, '')}/${FILE}`;
  const raw = `${RAW_HOST}/${repo}/${encodePath(ref ?? 'HEAD')}/${encodePath(file.replace(/^(\.?\/)+/, ''))}`;
  // Dots that lead elsewhere would be resolved.
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
