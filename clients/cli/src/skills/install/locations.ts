import { existsSync, lstatSync, readdirSync, readlinkSync, realpathSync } from 'node:fs';
import { basename, dirname, join, relative, resolve } from 'node:path';
import { hashFiles, isInstalled } from '@agent-fleet/skills/content/folder-hash';
import { SKILL_FILE } from '@agent-fleet/skills/content/skill-content';
import type { SkillTree } from '@agent-fleet/skills/content/skill-tree';
import { SkillError } from '@agent-fleet/skills/skill-error';
import type { Folder } from '@agent-fleet/skills/sources/folder';
import { openLocalFolder } from '@agent-fleet/skills/sources/local-folder';
import { type Base, ownBases, type Scope, sharedBase } from '../scope.ts';
import type { LockEntry } from './lock-file.ts';
import { openBelow } from './open-below.ts';

const MAX_LINKS = 20;

/** Where a skill is installed. */
export interface Location {
  base: Base;
  /** `link`: to the shared folder; `other`: a link elsewhere, or no folder. */
  kind: 'folder' | 'link' | 'other';
  /** For people: relative to the root. */
  path: string;
  real: string;
}

/** The name of the folder that the `skills` package gives a skill. */
export function toFolderName(name: string): string {
  const replaced = name.toLowerCase().replace(/[^a-z0-9._]+/g, '-');
  return replaced.replace(/^[.-]+|[.-]+$/g, '').slice(0, 255) || 'unnamed-skill';
}

/** All locations of a skill, the shared folder first. Folders of agents that link to the shared one do not count. */
export function findLocations(scope: Scope, name: string): Location[] {
  return eachBase<Location>(scope, (folder, base, shared) => {
    const stats = lstatSync(folder.at(name), { throwIfNoEntry: false });
    if (!stats) return [];
    const real = join(folder.path, name);
    const path = relative(scope.root, real) || real;
    if (stats.isDirectory()) return [{ base, kind: 'folder', path, real }];
    const isLink = stats.isSymbolicLink() && shared !== undefined && leadsTo(folder, name, join(shared.path, name));
    return [{ base, kind: isLink ? 'link' : 'other', path, real }];
  });
}

/** Names of folders with a SKILL.md, whoever installed them. */
export function findNames(scope: Scope): string[] {
  const names = eachBase(scope, (folder) =>
    readdirSync(folder.at('.')).filter(
      (name) => !name.startsWith('.') && existsSync(folder.at(`${name}/${SKILL_FILE}`)),
    ),
  );
  return [...new Set(names)].sort();
}

/** A base that leads out of its root counts as empty: nothing is read or written there. */
function eachBase<T>(scope: Scope, visit: (folder: Folder, base: Base, shared: Folder | undefined) => T[]): T[] {
  const first = sharedBase(scope);
  const shared = tryOpen(first);
  try {
    const found = shared ? visit(shared, first, shared) : [];
    for (const base of ownBases(scope)) {
      const folder = tryOpen(base);
      if (!folder) continue;
      try {
        if (!shared?.equals(folder)) found.push(...visit(folder, base, shared));
      } finally {
        folder.close();
      }
    }
    return found;
  } finally {
    shared?.close();
  }
}

function tryOpen({ root, path }: Base): Folder | undefined {
  try {
    return openBelow(root, path);
  } catch (error) {
    if (error instanceof SkillError) return undefined;
    throw error;
  }
}

function leadsTo(folder: Folder, name: string, target: string): boolean {
  try {
    return realpathSync(folder.at(name)) === target;
  } catch {
    // A link to a folder that is missing.
    return join(folder.path, readlinkSync(folder.at(name))) === target;
  }
}

/** The relative link from a folder of an agent to the shared one. */
export function linkToShared(base: Base, scope: Scope, name: string): string {
  return relative(pathOf(base), join(pathOf(sharedBase(scope)), name));
}

/** The path of a base without links, whether it exists or not. */
function pathOf({ root, path }: Base): string {
  return realOf(join(root, path));
}

function realOf(path: string, links = 0): string {
  if (existsSync(path)) return realpathSync(path);
  const isLink = lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() && links < MAX_LINKS;
  if (isLink) return realOf(resolve(dirname(path), readlinkSync(path)), links + 1);
  return join(realOf(dirname(path), links), basename(path));
}

/** Whether a base is the shared folder under another name, such as by a link `.claude/skills` → `../.agents/skills`. */
export function isShared(base: Base, scope: Scope): boolean {
  return pathOf(base) === pathOf(sharedBase(scope));
}

/**
 * Compares what is installed with the lock file: `unknown` if it has no hash that could tell.
 * Files that the `skills` package does not install do not count.
 */
export async function compareWithLock(location: Location, entry: LockEntry): Promise<'same' | 'edited' | 'unknown'> {
  const hashes = await hashLocation(location);
  if (hashes === undefined) return 'edited';
  const expected = entry.installedHash ?? entry.computedHash ?? sha256In(entry.skillFolderHash);
  if (expected === undefined) return 'unknown';
  return hashes.includes(expected) ? 'same' : 'edited';
}

/** The lock file of the user has such a hash for some sources, and ids of Git for others. */
function sha256In(hash: string | undefined): string | undefined {
  return hash?.length === 64 ? hash : undefined;
}

/** The SKILL.md as it is installed; undefined where it cannot be read as the one of a skill. */
export async function readSkillFile({ real }: Location): Promise<Buffer | undefined> {
  return withFolder(real, async (tree) => (await tree.read('', [SKILL_FILE])).get(SKILL_FILE));
}

/** Hashes with and without the files that are not installed; undefined if the folder cannot be of a skill. */
export async function hashLocation({ real }: Location): Promise<string[] | undefined> {
  return withFolder(real, async (tree) => {
    const listed = (await tree.list('')) ?? [];
    if (listed.some(({ type }) => type !== 'file')) return undefined;
    const contents = await tree.read(
      '',
      listed.map(({ path }) => path),
    );
    const files = [...contents].map(([path, bytes]) => ({ path, bytes }));
    return [hashFiles(files.filter(({ path }) => isInstalled(path))), hashFiles(files)];
  });
}

/** Undefined for a folder that is refused, or is none. */
async function withFolder<T>(path: string, use: (tree: SkillTree) => Promise<T>): Promise<T | undefined> {
  let tree: SkillTree | undefined;
  try {
    tree = openLocalFolder(path);
    return await use(tree);
  } catch (error) {
    if (error instanceof SkillError) return undefined;
    throw error;
  } finally {
    tree?.close();
  }
}
