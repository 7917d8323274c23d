import {
  closeSync,
  constants,
  fstatSync,
  fsyncSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  writeSync,
} from 'node:fs';
import { homedir } from 'node:os';
import { basename, dirname, isAbsolute, join, relative, resolve, sep } from 'node:path';
import { decodeText, whereNotJson } from '@agent-fleet/sdk/text';
import { hasCode, isObject, SkillError } from '@agent-fleet/skills/skill-error';
import type { Folder } from '@agent-fleet/skills/sources/folder';
import type { Scope } from '../scope.ts';
import { openBelow } from './open-below.ts';

const { O_RDONLY, O_WRONLY, O_CREAT, O_TRUNC, O_NOFOLLOW, O_NONBLOCK } = constants;
const MAX_BYTES = 8 * 1024 * 1024;

/** What a lock file says about a skill; fields that are not named here are kept. */
export interface LockEntry {
  source: string;
  sourceType: string;
  sourceUrl?: string;
  ref?: string;
  skillPath?: string;
  /** Of the folder at its source, in the file of a project. */
  computedHash?: string;
  /** The id in Git or a hash of the folder, in the file of the user. */
  skillFolderHash?: string;
  wellKnownDigest?: string;
  /** Ours: the commit, the registry and id, and the hash of the installed files if it is another. */
  commit?: string;
  registry?: string;
  skillId?: string;
  installedHash?: string;
  [field: string]: unknown;
}

interface LockDocument {
  version: number;
  skills: Record<string, LockEntry>;
  [field: string]: unknown;
}

/**
 * `skills-lock.json` of a project (version 1), or `.skill-lock.json` of the user (version 3), both as version 1.7.4 of
 * the `skills` package has them. Written atomically; whoever writes holds the mutex.
 */
export class LockFile {
  readonly path: string;
  readonly #scope: Scope;
  readonly #version: number;

  constructor(scope: Scope) {
    this.#scope = scope;
    this.#version = scope.isGlobal ? 3 : 1;
    this.path = scope.isGlobal ? userLockPath(scope) : join(scope.root, 'skills-lock.json');
  }

  /** @throws SkillError if it cannot be understood */
  read(): Map<string, LockEntry> {
    const folder = this.#open(false);
    try {
      return new Map(folder ? Object.entries(this.#parse(folder).skills) : []);
    } finally {
      folder?.close();
    }
  }

  /** Sets or removes an entry, and keeps everything else. */
  edit(name: string, entry: LockEntry | undefined): void {
    const folder = this.#open(true);
    try {
      const document = this.#parse(folder);
      const skills = new Map(Object.entries(document.skills));
      if (entry) skills.set(name, this.#scope.isGlobal ? withTimes(entry, skills.get(name)) : entry);
      else if (!skills.delete(name)) return;
      const sorted = [...skills].sort(([a], [b]) => (a < b ? -1 : 1));
      const json = JSON.stringify({ ...document, skills: Object.fromEntries(sorted) }, null, 2);
      writeAtomically(folder, basename(this.path), `${json}\n`);
    } finally {
      folder.close();
    }
  }

  /** Removes what a killed command left beside the file. */
  removeLeftovers(): void {
    const folder = this.#open(false);
    if (!folder) return;
    rmSync(folder.at(temporaryName(basename(this.path))), { force: true });
    folder.close();
  }

  /** Absolute path of a local source. */
  toAbsolute(source: string): string {
    return resolve(this.#scope.root, source);
  }

  /** A local source as it is recorded: relative to the project, so that it can be shared. */
  toPortable(path: string): string {
    const below = relative(this.#scope.root, path).split(sep).join('/');
    if (isAbsolute(below) || this.#scope.isGlobal) return path;
    if (below === '') return '.';
    return below === '..' || below.startsWith('../') ? below : `./${below}`;
  }

  #open(creates: true): Folder;
  #open(creates: boolean): Folder | undefined;
  #open(creates: boolean): Folder | undefined {
    const { root } = this.#scope;
    const folder = dirname(this.path);
    const below = relative(root, folder);
    const [from, path] = below.startsWith('..') || isAbsolute(below) ? [folder, ''] : [root, below];
    return creates ? openBelow(from, path, { creates: true }) : openBelow(from, path);
  }

  #parse(folder: Folder): LockDocument {
    const empty = { version: this.#version, skills: {}, ...(this.#scope.isGlobal && { dismissed: {} }) };
    const text = readRegularFile(folder, basename(this.path), MAX_BYTES);
    if (text === undefined) return empty;
    let document: unknown;
    try {
      document = JSON.parse(text);
    } catch (error) {
      const hint = 'Mend it, for example after a merge conflict, or move it away.';
      throw new SkillError(`${this.path} is not JSON at ${whereNotJson(text)}`, hint, 'failed', error);
    }
    if (!isObject(document) || !isObject(document.skills) || !Object.values(document.skills).every(isEntry)) {
      throw new SkillError(`${this.path} is not a lock file of skills`, 'Move it away.');
    }
    if (document.version !== this.#version) {
      throw new SkillError(
        `${this.path} has version ${JSON.stringify(document.version)}, known is ${this.#version}`,
        'Update it with `npx skills`, or move it away.',
      );
    }
    return document as LockDocument;
  }
}

function userLockPath({ root, env }: Scope): string {
  const state = env.XDG_STATE_HOME;
  return state ? join(state, 'skills/.skill-lock.json') : join(root || homedir(), '.agents/.skill-lock.json');
}

function withTimes(entry: LockEntry, known: LockEntry | undefined): LockEntry {
  const now = new Date().toISOString();
  return { ...entry, installedAt: known?.installedAt ?? now, updatedAt: now };
}

export function isEntry(value: unknown): value is LockEntry {
  if (!isObject(value)) return false;
  const texts = ['sourceUrl', 'ref', 'skillPath', 'computedHash', 'commit', 'registry', 'skillId', 'installedHash'];
  return (
    typeof value.source === 'string' &&
    typeof value.sourceType === 'string' &&
    texts.every((name) => value[name] === undefined || typeof value[name] === 'string')
  );
}

/** @throws SkillError if it is a link or no file */
export function readRegularFile(folder: Folder, name: string, maxBytes: number): string | undefined {
  let file: number;
  try {
    file = openSync(folder.at(name), O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return undefined;
    if (!hasCode(error, 'ELOOP')) throw error;
    throw new SkillError(`${join(folder.path, name)} is a link`, 'Replace it by the file itself.', 'failed', error);
  }
  try {
    const stats = fstatSync(file);
    if (!stats.isFile() || stats.size > maxBytes) {
      throw new SkillError(`${join(folder.path, name)} is not a file of at most ${maxBytes} bytes`, 'Move it away.');
    }
    return decodeText(readFileSync(file));
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    throw new SkillError(`${join(folder.path, name)} is ${error.message}`, 'Save it as UTF-8.', 'failed', error);
  } finally {
    closeSync(file);
  }
}

/** Replaces a file; a crash leaves the old or the new one. */
export function writeAtomically(folder: Folder, name: string, text: string): void {
  const temporary = folder.at(temporaryName(name));
  rmSync(temporary, { force: true });
  const file = openSync(temporary, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW, 0o666);
  try {
    const bytes = Buffer.from(text);
    for (let at = 0; at < bytes.length; ) at += writeSync(file, bytes, at);
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
  renameSync(temporary, folder.at(name));
  folder.sync();
}

/** What a crash may leave beside a file. */
export function temporaryName(name: string): string {
  return `.${name.replace(/^\./, '')}.fleet-new`;
}
