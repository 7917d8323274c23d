import { createHash } from 'node:crypto';

/** A file of a skill. */
export interface SkillFile {
  /** Relative to the folder of the skill, with `/`. */
  path: string;
  bytes: Buffer;
  executable: boolean;
}

/** Folders that the `skills` package leaves out of the hash, and what it leaves out when it copies. */
const UNHASHED_FOLDERS: ReadonlySet<string> = new Set(['.git', 'node_modules']);
const UNCOPIED_FOLDERS: ReadonlySet<string> = new Set(['.git', '__pycache__', '__pypackages__']);
const UNCOPIED_FILE = 'metadata.json';

/**
 * `computedHash` of `skills-lock.json`, as version 1.7.4 of the `skills` package computes it: SHA-256 of paths and
 * contents. Its order is that of the locale; English here, so that every machine has the same.
 */
export function hashFiles(files: readonly Pick<SkillFile, 'path' | 'bytes'>[]): string {
  const hash = createHash('sha256');
  const hashed = files.filter(({ path }) => !isInside(path, UNHASHED_FOLDERS));
  for (const { path, bytes } of hashed.sort((a, b) => a.path.localeCompare(b.path, 'en'))) {
    hash.update(path);
    hash.update(bytes);
  }
  return hash.digest('hex');
}

/** Whether the `skills` package, and so we, install a file. */
export function isInstalled(path: string): boolean {
  return !isInside(path, UNCOPIED_FOLDERS) && path.split('/').at(-1) !== UNCOPIED_FILE;
}

function isInside(path: string, folders: ReadonlySet<string>): boolean {
  return path
    .split('/')
    .slice(0, -1)
    .some((name) => folders.has(name));
}
