import {
  closeSync,
  constants,
  fstatSync,
  lstatSync,
  openSync,
  readdirSync,
  readlinkSync,
  readSync,
  type Stats,
} from 'node:fs';
import { type ListedEntry, MAX_BYTES, MAX_FILES, tooLarge, tooManyFiles } from '../content/entries.ts';
import { SKILL_FILE } from '../content/skill-content.ts';
import { MAX_DEPTH, MAX_SKILLS, SKIPPED_FOLDERS, type SkillTree } from '../content/skill-tree.ts';
import { hasCode, SkillError } from '../skill-error.ts';
import { Folder } from './folder.ts';

const { O_RDONLY, O_NOFOLLOW, O_NONBLOCK } = constants;
const MAX_LOOKED_AT = 50_000;

/** A folder on this machine. Links are never followed while reading; a folder that changes meanwhile is refused. */
export function openLocalFolder(path: string): SkillTree {
  const root = openRoot(path);
  const seen = new Map<string, Stats>();
  return {
    findSkillFiles: async (folder) => findFiles(root, folder, (path, stats) => seen.set(path, stats)),
    list: async (folder) => {
      const opened = descend(root, folder.split('/').filter(Boolean));
      if (!opened) return undefined;
      const entries: ListedEntry[] = [];
      walk(opened, '', entries, (relative, stats) => seen.set(join(folder, relative), stats));
      return entries;
    },
    read: async (folder, paths) => {
      const contents = new Map<string, Buffer>();
      let left = MAX_BYTES;
      for (const relative of paths) {
        const bytes = readEntry(root, join(folder, relative), seen.get(join(folder, relative)), left);
        left -= bytes.length;
        contents.set(relative, bytes);
      }
      return contents;
    },
    close: () => root.close(),
  };
}

function openRoot(path: string): Folder {
  try {
    return Folder.openRoot(path);
  } catch (error) {
    if (!hasCode(error, 'ENOENT', 'ENOTDIR', 'ELOOP')) throw error;
    throw new SkillError(`${path} is not a folder`, 'Name the folder of a skill.', 'failed', error);
  }
}

function join(folder: string, name: string): string {
  return folder === '' ? name : `${folder}/${name}`;
}

/** The folder, to be closed by the caller; undefined if it is missing, or if a link is on the way. */
function descend(root: Folder, names: readonly string[]): Folder | undefined {
  let folder = root.open('.');
  for (const name of names) {
    try {
      const next = folder.open(name);
      folder.close();
      folder = next;
    } catch (error) {
      folder.close();
      if (hasCode(error, 'ENOENT', 'ENOTDIR', 'ELOOP')) return undefined;
      throw error;
    }
  }
  return folder;
}

function findFiles(root: Folder, below: string, see: (path: string, stats: Stats) => void): string[] {
  const found: string[] = [];
  let left = MAX_LOOKED_AT;
  const visit = (path: string, depth: number): void => {
    const folder = descend(root, path.split('/').filter(Boolean));
    if (!folder) return;
    const entries = readdirSync(folder.at('.'), { withFileTypes: true });
    const skillFile = lstatSync(folder.at(SKILL_FILE), { throwIfNoEntry: false });
    folder.close();
    left -= entries.length;
    if (left < 0 || found.length >= MAX_SKILLS) return;
    if (skillFile?.isFile() || skillFile?.isSymbolicLink()) {
      see(join(path, SKILL_FILE), skillFile);
      found.push(join(path, SKILL_FILE));
    }
    if (depth >= MAX_DEPTH) return;
    for (const entry of entries) {
      if (entry.isDirectory() && !SKIPPED_FOLDERS.has(entry.name)) visit(join(path, entry.name), depth + 1);
    }
  };
  visit(below, 0);
  return found;
}

/** Lists and closes a folder. */
function walk(folder: Folder, path: string, entries: ListedEntry[], see: (path: string, stats: Stats) => void): void {
  try {
    for (const name of readdirSync(folder.at('.')).sort()) {
      // The repository that the skill is developed in.
      if (path === '' && name === '.git') continue;
      const stats = lstatSync(folder.at(name), { throwIfNoEntry: false });
      if (!stats) throw changed(join(path, name));
      if (stats.isDirectory()) {
        walk(openStill(folder, name, join(path, name)), join(path, name), entries, see);
        continue;
      }
      if (entries.length >= MAX_FILES) throw tooManyFiles();
      see(join(path, name), stats);
      entries.push(toEntry(join(path, name), stats));
    }
  } finally {
    folder.close();
  }
}

function openStill(folder: Folder, name: string, path: string): Folder {
  try {
    return folder.open(name);
  } catch (error) {
    if (hasCode(error, 'ENOENT', 'ENOTDIR', 'ELOOP')) throw changed(path);
    throw error;
  }
}

function toEntry(path: string, stats: Stats): ListedEntry {
  const executable = (stats.mode & 0o111) !== 0;
  if (stats.isSymbolicLink()) return { path, type: 'link', executable: false };
  if (stats.isFile()) return { path, type: 'file', executable, size: stats.size };
  return { path, type: 'other', executable: false, what: 'a device, pipe or socket' };
}

function readEntry(root: Folder, path: string, listed: Stats | undefined, maxBytes: number): Buffer {
  const names = path.split('/');
  const folder = descend(root, names.slice(0, -1));
  if (!folder) throw changed(path);
  try {
    const name = folder.at(names.at(-1) ?? '');
    if (listed?.isSymbolicLink()) return readlinkSync(name, 'buffer');
    const file = openSync(name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
    try {
      return readWhole(file, path, listed, maxBytes);
    } finally {
      closeSync(file);
    }
  } catch (error) {
    if (hasCode(error, 'ENOENT', 'ELOOP', 'EINVAL', 'ENXIO')) throw changed(path);
    throw error;
  } finally {
    folder.close();
  }
}

function readWhole(file: number, path: string, listed: Stats | undefined, maxBytes: number): Buffer {
  const before = fstatSync(file);
  if (!before.isFile() || (listed && !isSame(before, listed))) throw changed(path);
  if (before.size > maxBytes) throw tooLarge();
  const bytes = Buffer.alloc(before.size);
  let length = 0;
  while (length < bytes.length) {
    const read = readSync(file, bytes, length, bytes.length - length, length);
    if (read === 0) break;
    length += read;
  }
  if (length < bytes.length || !isSame(fstatSync(file), before)) throw changed(path);
  return bytes;
}

function isSame(a: Stats, b: Stats): boolean {
  return a.ino === b.ino && a.dev === b.dev && a.size === b.size && a.mtimeMs === b.mtimeMs && a.ctimeMs === b.ctimeMs;
}

function changed(path: string): SkillError {
  return new SkillError(`${path} changes while it is read`, 'Try again when nobody writes to it.');
}
