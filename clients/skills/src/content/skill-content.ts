import { hash } from 'node:crypto';
import { SkillError } from '../skill-error.ts';
import { checkEntries, type ListedEntry, MAX_BYTES, MAX_FILES, refused, tooLarge, tooManyFiles } from './entries.ts';
import { hashFiles, isInstalled, type SkillFile } from './folder-hash.ts';
import { type FrontMatter, requireFrontMatter } from './front-matter.ts';
import { resolveLinks } from './links.ts';

export const SKILL_FILE = 'SKILL.md';
const LFS_POINTER = 'version https://git-lfs.github.com/spec/v1';

/** A checked folder of a skill, in memory: what is checked is what is written. */
export interface SkillFolder {
  /** What to install, sorted by path. */
  files: SkillFile[];
  /** `computedHash` of the lock file: of the files at the source. */
  computedHash: string;
  /** The same of the installed files, which differs if some are left out or come from links. */
  installedHash: string;
  /** SHA-256 of the SKILL.md in hex. */
  skillFileHash: string;
  warnings: string[];
}

/** The same with its front matter, whose name is valid, and what else is wrong with its SKILL.md. */
export interface SkillContent extends SkillFolder {
  frontMatter: FrontMatter;
  issues: string[];
}

/** The contents of files, and the targets of links, by path. */
export type ReadEntries = (paths: readonly string[]) => Promise<ReadonlyMap<string, Buffer>>;

/**
 * Checks and reads a folder, and its name and description. `file` is what errors and issues call its SKILL.md.
 * @throws SkillError
 */
export async function readSkillContent(
  listed: readonly ListedEntry[],
  read: ReadEntries,
  file = SKILL_FILE,
): Promise<SkillContent> {
  const folder = await readSkillFolder(listed, read);
  const skillFile = folder.files.find(({ path }) => path === SKILL_FILE) as SkillFile;
  return { ...requireFrontMatter(skillFile.bytes, file), ...folder };
}

/**
 * Checks and reads a folder, whatever its SKILL.md says.
 * @throws SkillError; `RefusedError` for what a skill must not have
 */
export async function readSkillFolder(listed: readonly ListedEntry[], read: ReadEntries): Promise<SkillFolder> {
  checkEntries(listed);
  const skillFile = listed.find(({ path }) => path === SKILL_FILE);
  if (!skillFile) throw new SkillError(`The folder has no ${SKILL_FILE}`, 'Name the folder of a skill.');
  if (skillFile.type !== 'file') throw refused(`its ${SKILL_FILE} is a link`);
  const contents = await read(listed.map(({ path }) => path));
  const bytesOf = ({ path }: ListedEntry) => {
    const bytes = contents.get(path);
    if (!bytes) throw new SkillError(`${path} is gone`, 'Try again.');
    return bytes;
  };
  const sources = resolveLinks(listed, (path) => (contents.get(path) ?? Buffer.alloc(0)).toString('utf8'));
  if (sources.size > MAX_FILES) throw tooManyFiles();
  const all = [...sources].map(([path, entry]) => ({ path, bytes: bytesOf(entry), executable: entry.executable }));
  if (all.reduce((sum, { bytes }) => sum + bytes.length, 0) > MAX_BYTES) throw tooLarge();
  checkEntries(all.map(({ path, executable }) => ({ path, executable, type: 'file' })));
  const regular = listed
    .filter(({ type }) => type === 'file')
    .map((entry) => ({ path: entry.path, bytes: bytesOf(entry) }));
  return toFolder(
    all.filter(({ path }) => isInstalled(path)),
    hashFiles(regular),
    bytesOf(skillFile),
  );
}

function toFolder(files: SkillFile[], computedHash: string, skillFile: Buffer): SkillFolder {
  const pointers = files.filter(
    ({ bytes }) => bytes.length < 1_024 && bytes.toString('latin1').startsWith(LFS_POINTER),
  );
  return {
    files: files.sort((a, b) => (a.path < b.path ? -1 : 1)),
    computedHash,
    installedHash: hashFiles(files),
    skillFileHash: hash('sha256', skillFile),
    warnings: pointers.map(({ path }) => `${path} is a pointer of Git LFS; its content is not fetched`),
  };
}
