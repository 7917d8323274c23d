import { hash } from 'node:crypto';
import { checkPath, type ListedEntry, MAX_BYTES, MAX_FILES, tooLarge, tooManyFiles } from '../content/entries.ts';
import { checkSkillFile, isSkillName } from '../content/front-matter.ts';
import { readSkillContent, SKILL_FILE, type SkillContent } from '../content/skill-content.ts';
import { type FoundSkill, MAX_SKILLS } from '../content/skill-tree.ts';
import { isObject, SkillError } from '../skill-error.ts';
import { FetchError, type FetchOptions, fetchBytes, requireNoDowngrade } from './web-fetch.ts';

const MAX_INDEX_BYTES = 4 * 1024 * 1024;
const WELL_KNOWN = ['.well-known/agent-skills', '.well-known/skills'] as const;
const SCHEMA_2 = 'https://schemas.agentskills.io/discovery/0.2.0/schema.json';
const DIGEST = /^sha256:[0-9a-f]{64}$/;

/** A skill on a web page: its files, and what to check them by. */
export interface WebSkill extends FoundSkill {
  /** Files to fetch, by path. */
  files: ReadonlyMap<string, string>;
  /** `sha256:…` of the SKILL.md as the index says. */
  digest?: string;
}

/** What a URL has: skills of a discovery index, or one SKILL.md. */
export interface WebSource {
  type: 'well-known' | 'download';
  skills: WebSkill[];
}

/**
 * The skills of a URL: of the index of Agent Skills Discovery there, else the SKILL.md that the URL itself is.
 * @throws SkillError
 */
export async function openWebSource(address: string, options: FetchOptions): Promise<WebSource> {
  const url = new URL(address);
  if (!url.pathname.endsWith(`/${SKILL_FILE}`)) {
    for (const folder of WELL_KNOWN) {
      const skills = await readIndex(url, folder, options);
      if (skills.length > 0) return { type: 'well-known', skills };
    }
  }
  const bytes = await fetchBytes(address, { ...options, maxBytes: MAX_INDEX_BYTES });
  const { frontMatter: found, issues } = checkSkillFile(bytes, address);
  if (!found) throw new SkillError(`${address} is neither an index of skills nor a SKILL.md`, issues.join('\n'));
  const files = new Map([[SKILL_FILE, address]]);
  return { type: 'download', skills: [{ name: found.name, folder: '', description: found.description, files }] };
}

/** @throws SkillError, also if the SKILL.md has another digest than the index says */
export async function loadWebSkill({ files, digest }: WebSkill, options: FetchOptions): Promise<SkillContent> {
  const listed: ListedEntry[] = [...files.keys()].map((path) => ({ path, type: 'file', executable: false }));
  const content = await readSkillContent(
    listed,
    async (paths) => {
      const contents = new Map<string, Buffer>();
      let left = MAX_BYTES;
      for (const path of paths) {
        const bytes = await fetchBytes(files.get(path) as string, { ...options, maxBytes: left });
        left -= bytes.length;
        if (left < 0) throw tooLarge();
        contents.set(path, bytes);
      }
      return contents;
    },
    files.get(SKILL_FILE),
  );
  const found = `sha256:${content.skillFileHash}`;
  if (digest !== undefined && digest !== found) {
    throw new SkillError(`The SKILL.md has the digest ${found}, its index says ${digest}`, 'Tell its publisher.');
  }
  return content;
}

/** Undefined digests and other formats are as in version 1.7.4 of the `skills` package. */
async function readIndex(url: URL, folder: string, options: FetchOptions): Promise<WebSkill[]> {
  const base = `${url.origin}${url.pathname.replace(/\/$/, '')}`;
  const address = `${base}/${folder}/index.json`;
  let index: unknown;
  try {
    index = JSON.parse((await fetchBytes(address, { ...options, maxBytes: MAX_INDEX_BYTES })).toString());
  } catch (error) {
    if (error instanceof SyntaxError || (error instanceof FetchError && error.status !== undefined)) return [];
    throw error;
  }
  if (!isObject(index) || !Array.isArray(index.skills)) return [];
  const isSecond = index.$schema === SCHEMA_2;
  if (!isSecond && index.$schema !== undefined) return [];
  return index.skills.slice(0, MAX_SKILLS).flatMap((entry: unknown) => {
    const skill = isSecond ? toArtifact(entry, new URL(address)) : toFiles(entry, `${base}/${folder}`);
    return skill ? [skill] : [];
  });
}

function toArtifact(entry: unknown, index: URL): WebSkill | undefined {
  if (!isObject(entry)) return undefined;
  const { name, description, type, url, digest } = entry;
  if (typeof name !== 'string' || !isSkillName(name) || typeof description !== 'string') return undefined;
  if (type !== 'skill-md' || typeof url !== 'string' || typeof digest !== 'string' || !DIGEST.test(digest))
    return undefined;
  const target = URL.parse(url, index.href);
  if (!target) return undefined;
  requireNoDowngrade(index, target);
  return { name, folder: '', description, digest, files: new Map([[SKILL_FILE, target.href]]) };
}

function toFiles(entry: unknown, base: string): WebSkill | undefined {
  if (!isObject(entry)) return undefined;
  const { name, description, files } = entry;
  if (typeof name !== 'string' || !isSkillName(name) || typeof description !== 'string' || !Array.isArray(files))
    return undefined;
  if (files.length > MAX_FILES) throw tooManyFiles();
  const paths = new Set([SKILL_FILE, ...files.filter((path): path is string => typeof path === 'string')]);
  for (const path of paths) checkPath(path);
  const addressOf = (path: string) => `${base}/${name}/${path.split('/').map(encodeURIComponent).join('/')}`;
  return { name, folder: '', description, files: new Map([...paths].map((path) => [path, addressOf(path)])) };
}

/** The digest of the lock file of the `skills` package. */
export function wellKnownDigest({ digest, files }: WebSkill, content: SkillContent): string {
  if (digest !== undefined) return digest;
  const byPath = new Map(content.files.map(({ path, bytes }) => [path, bytes]));
  const parts = [...files.keys()].sort().flatMap((path) => {
    const bytes = byPath.get(path);
    return bytes ? [Buffer.from(`${path}\0`), bytes, Buffer.from('\0')] : [];
  });
  return `sha256:${hash('sha256', Buffer.concat(parts))}`;
}
