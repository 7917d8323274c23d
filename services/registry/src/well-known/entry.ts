import { CONTENT_DIGEST_NAMES } from '../skills/field-names.ts';
import { isObject } from '../skills/record-fields.ts';
import type { Skill } from '../skills/skill.ts';
import { toDigest } from '../skills/values.ts';

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

/** Undefined for a skill that breaks the specification, has no digest, or one of more than its SKILL.md, or whose SKILL.md cannot be located. */
export function toWellKnownEntry(skill: Skill): WellKnownEntry | undefined {
  const { name, description, digest, valid, extra } = skill;
  if (!valid || digest === null || isOfContent(digest, extra) || hasOtherFiles(extra)) return undefined;
  const url = locate(skill.source);
  return url === undefined ? undefined : { name, type: 'skill-md', description, url, digest };
}

/** Whether it may be of a folder or an archive. */
function isOfContent(digest: string, { metadata, ...top }: Skill['extra']): boolean {
  return [top, metadata].some(
    (extra) => isObject(extra) && CONTENT_DIGEST_NAMES.some((name) => toDigest(extra[name]) === digest),
  );
}

/** A digest of several files cannot be that of one of them. */
function hasOtherFiles({ files, metadata }: Skill['extra']): boolean {
  return namesOthers(files) || (isObject(metadata) && namesOthers(metadata.files));
}

/** `files` as a list of names or of objects that have one, or as an object by names. */
function namesOthers(files: unknown): boolean {
  const items: unknown[] = Array.isArray(files) ? files : isObject(files) ? Object.keys(files) : [];
  return items.length > 1 || items.some((item) => !isFile(nameOf(item)));
}

function nameOf(item: unknown): string {
  const name = isObject(item) ? (item.path ?? item.name) : item;
  return typeof name === 'string' ? name : '';
}

/**
 * Where the SKILL.md itself is. An address of `source.url` counts only when it ends in that file, as others are web pages; GitHub's page
 * of the file is one too, so that its raw address is given. Else it is made from a repository on GitHub and a path within it; one elsewhere always
 * has an address that is not GitHub's.
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
