import {
  closeSync,
  constants,
  fchmodSync,
  fsyncSync,
  lstatSync,
  openSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeSync,
} from 'node:fs';
import type { SkillFile } from '@agent-fleet/skills/content/folder-hash';
import { hasCode } from '@agent-fleet/skills/skill-error';
import type { Folder } from '@agent-fleet/skills/sources/folder';

const { O_WRONLY, O_CREAT, O_EXCL, O_NOFOLLOW } = constants;
/** Names in the staging folder. */
const NEW = 'new';
const OLD = 'old';

/** What an entry of a folder of skills becomes. */
export type Target = { type: 'files'; files: readonly SkillFile[] } | { type: 'link'; to: string } | { type: 'none' };

/**
 * A folder beside the entry it is for, in the same file system, which only this command writes: `new` is written there
 * and renamed to the entry, whose former content becomes `old`.
 */
export class Staging {
  readonly #base: Folder;
  readonly #name: string;

  constructor(base: Folder, id: string) {
    this.#base = base;
    this.#name = `.fleet-${id}`;
  }

  write(target: Target): void {
    const folder = this.#base.openOrCreate(this.#name);
    try {
      if (target.type === 'link') symlinkSync(target.to, folder.at(NEW));
      if (target.type === 'files') writeFiles(folder.openOrCreate(NEW), target.files);
      folder.sync();
    } finally {
      folder.close();
    }
  }

  /** Puts `new`, if there is one, in the place of the entry. Does nothing if that was done. */
  swap(entry: string, removes: boolean): void {
    const folder = this.#open();
    if (!folder) return;
    try {
      const hasNew = exists(folder, NEW);
      if (!removes && !hasNew) return;
      if (exists(this.#base, entry)) {
        // After a crash between the two renames, somebody may have put another entry there.
        if (exists(folder, OLD)) {
          if (removes) return;
          renameSync(this.#base.at(entry), folder.at(`${OLD}-${Date.now()}`));
        } else renameSync(this.#base.at(entry), folder.at(OLD));
      }
      if (hasNew) renameSync(folder.at(NEW), this.#base.at(entry));
      this.#base.sync();
    } finally {
      folder.close();
    }
  }

  /** Puts the former content back, after `write` has succeeded, and perhaps `swap`. */
  undo(entry: string, removes: boolean): void {
    const folder = this.#open();
    if (!folder) return;
    try {
      if (!removes && !exists(folder, NEW) && exists(this.#base, entry)) {
        renameSync(this.#base.at(entry), folder.at(NEW));
      }
      if (exists(folder, OLD)) renameSync(folder.at(OLD), this.#base.at(entry));
    } finally {
      folder.close();
    }
  }

  /** Removes the folder with all that is in it. */
  remove(): void {
    rmSync(this.#base.at(this.#name), { recursive: true, force: true });
  }

  #open(): Folder | undefined {
    try {
      return this.#base.open(this.#name);
    } catch (error) {
      if (hasCode(error, 'ENOENT', 'ENOTDIR', 'ELOOP')) return undefined;
      throw error;
    }
  }
}

function exists(folder: Folder, name: string): boolean {
  return lstatSync(folder.at(name), { throwIfNoEntry: false }) !== undefined;
}

/** Writes into an empty folder, and closes it. */
function writeFiles(root: Folder, files: readonly SkillFile[]): void {
  try {
    for (const file of files) writeFile(root, file);
  } finally {
    root.close();
  }
}

function writeFile(root: Folder, { path, bytes, executable }: SkillFile): void {
  const names = path.split('/');
  let folder = root.open('.');
  try {
    for (const name of names.slice(0, -1)) {
      const next = folder.openOrCreate(name);
      folder.close();
      folder = next;
    }
    const file = openSync(folder.at(names.at(-1) as string), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, 0o666);
    try {
      for (let at = 0; at < bytes.length; ) at += writeSync(file, bytes, at);
      if (executable) fchmodSync(file, 0o777 & ~process.umask());
      fsyncSync(file);
    } finally {
      closeSync(file);
    }
    folder.sync();
  } finally {
    folder.close();
  }
}
