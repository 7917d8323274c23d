import { SkillError } from '../skill-error.ts';

export const MAX_FILES = 1_000;
export const MAX_BYTES = 25 * 1024 * 1024;
const MAX_PATH_BYTES = 1_024;
const MAX_NAME_BYTES = 255;

/** What a folder has, as its source lists it, before it is checked. */
export interface ListedEntry {
  /** Relative to the folder, with `/`. */
  path: string;
  type: 'file' | 'link' | 'other';
  executable: boolean;
  /** In bytes, if the source says it. */
  size?: number;
  /** What an entry of type `other` is. */
  what?: string;
}

/** @throws SkillError if a skill must not have these entries: see the rules in the README. */
export function checkEntries(entries: readonly ListedEntry[]): void {
  if (entries.length > MAX_FILES) throw tooManyFiles();
  if (entries.reduce((sum, { size = 0 }) => sum + size, 0) > MAX_BYTES) throw tooLarge();
  const spellings = new Map<string, string>();
  const files = new Set<string>();
  for (const entry of entries) {
    checkPath(entry.path);
    if (entry.type === 'other') throw refused(`${show(entry.path)} is ${entry.what ?? 'no file'}`);
    files.add(entry.path);
  }
  if (files.size < entries.length) throw refused('a path is listed twice');
  for (const path of files) checkSpelling(path, files, spellings);
}

/** Every name on the way to a file has one spelling: file systems may see `a` and `A`, or `é` and `é`, as the same. */
function checkSpelling(path: string, files: ReadonlySet<string>, spellings: Map<string, string>): void {
  const names = path.split('/');
  for (let length = 1; length <= names.length; length++) {
    const part = names.slice(0, length).join('/');
    if (length < names.length && files.has(part)) throw refused(`${show(part)} is a file and a folder`);
    const folded = fold(part);
    const known = spellings.get(folded);
    if (known !== undefined && known !== part) {
      throw refused(`${show(known)} and ${show(part)} are the same file on some systems`);
    }
    spellings.set(folded, part);
  }
}

function fold(path: string): string {
  return path.normalize('NFKC').toUpperCase().toLowerCase().normalize('NFKC');
}

const UNSAFE_CHARACTER = /[\p{Cc}\p{Cf}\\\uFFFD\u2028\u2029]/u;
/** Names that mean `.git` to some file systems (CVE-2014-9390, CVE-2019-1353). */
const GIT_FOLDER = /^(?:\.git|git~\d+)[ .]*(?::.*)?$/i;

/** @throws SkillError */
export function checkPath(path: string): void {
  if (path.startsWith('/') || /^[a-z]:/i.test(path)) throw refused(`${show(path)} is an absolute path`);
  if (Buffer.byteLength(path) > MAX_PATH_BYTES) throw refused(`the path ${show(path.slice(0, 60))}… is too long`);
  if (UNSAFE_CHARACTER.test(path)) throw refused(`${show(path)} has characters that a path must not have`);
  for (const name of path.split('/')) {
    if (name === '..') throw refused(`${show(path)} leads out of it`);
    if (name === '' || name === '.') throw refused(`${show(path)} is not a plain path`);
    if (GIT_FOLDER.test(name)) throw refused(`${show(path)} is inside a folder of Git`);
    if (Buffer.byteLength(name) > MAX_NAME_BYTES) throw refused(`the name ${show(name.slice(0, 60))}… is too long`);
  }
}

/** The folder of a skill has what it must not have. */
export class RefusedError extends SkillError {}

export function refused(reason: string): RefusedError {
  return new RefusedError(`Refused the folder of the skill: ${reason}`, 'Tell the author of the skill.');
}

export function tooManyFiles(): RefusedError {
  return refused(`it has more than ${MAX_FILES} files`);
}

export function tooLarge(): RefusedError {
  return refused(`it has more than ${MAX_BYTES / 1024 / 1024} MiB`);
}

/** Characters that a terminal obeys are replaced. */
function show(text: string): string {
  return JSON.stringify(text.replace(/[\p{Cc}\p{Cf}]/gu, '\uFFFD'));
}
