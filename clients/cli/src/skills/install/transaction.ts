import { randomBytes } from 'node:crypto';
import { lstatSync, rmSync } from 'node:fs';
import { isSkillName } from '@agent-fleet/skills/content/front-matter';
import { SkillError } from '@agent-fleet/skills/skill-error';
import type { Folder } from '@agent-fleet/skills/sources/folder';
import { withMutex } from '../../mutex.ts';
import { type Base, ownBases, type Scope, sharedBase } from '../scope.ts';
import {
  isEntry,
  type LockEntry,
  type LockFile,
  readRegularFile,
  temporaryName,
  writeAtomically,
} from './lock-file.ts';
import { openBelow } from './open-below.ts';
import { Staging, type Target } from './staging.ts';

const FOLDER = '.agents';
const MUTEX_FILE = '.fleet-lock';
const JOURNAL = '.fleet-journal.json';
const MAX_JOURNAL_BYTES = 1024 * 1024;

/** A change of one skill: its folders and links, and its entry in the lock file, all or nothing. */
export interface Change {
  /** Of its folders. */
  name: string;
  /** In the lock file. */
  key: string;
  targets: readonly { base: Base; target: Target }[];
  entry: LockEntry | undefined;
}

/** `staging`: nothing was changed yet. `commit`: everything is staged, and the rest is only renaming. */
interface Journal {
  version: 1;
  state: 'staging' | 'commit';
  id: string;
  name: string;
  key: string;
  steps: { root: string; path: string; removes: boolean }[];
  entry: LockEntry | null;
}

interface ChangeOptions {
  /** Nothing is written, and nobody waits. */
  dryRun?: boolean;
  signal?: AbortSignal;
}

/**
 * Runs `work` alone among all commands that change the skills of a scope, after it has finished or undone what a killed
 * one left.
 */
export async function changeSkills<T>(
  scope: Scope,
  lock: LockFile,
  { dryRun = false, signal }: ChangeOptions,
  work: (apply: (change: Change) => void) => T | Promise<T>,
): Promise<T> {
  if (dryRun) return work(() => {});
  const folder = openBelow(scope.root, FOLDER, { creates: true });
  try {
    return await withMutex(
      folder,
      MUTEX_FILE,
      () => {
        recover(scope, folder, lock);
        return work((change) => apply(folder, lock, change));
      },
      signal,
    );
  } finally {
    folder.close();
  }
}

/** Whether a killed command left something to finish. */
export function isInterrupted(scope: Scope): boolean {
  const folder = openBelow(scope.root, FOLDER);
  try {
    return folder !== undefined && lstatSync(folder.at(JOURNAL), { throwIfNoEntry: false }) !== undefined;
  } finally {
    folder?.close();
  }
}

/**
 * Stages all files, writes the journal, and renames. From the moment that the journal says `commit` the change is made:
 * the next command finishes it after a kill. Between the two renames of an entry, the old content is aside and the new
 * one not yet there.
 */
function apply(folder: Folder, lock: LockFile, { name, key, targets, entry }: Change): void {
  const steps = targets.map(({ base, target }) => ({
    root: base.root,
    path: base.path,
    removes: target.type === 'none',
  }));
  const id = randomBytes(8).toString('hex');
  const journal: Journal = { version: 1, state: 'staging', id, name, key, steps, entry: entry ?? null };
  let isStaged = false;
  writeJournal(folder, journal);
  try {
    for (const { base, target } of targets) {
      const opened = openBelow(base.root, base.path, { creates: true });
      try {
        new Staging(opened, id).write(target);
      } finally {
        opened.close();
      }
    }
    isStaged = true;
    writeJournal(folder, { ...journal, state: 'commit' });
    finish(journal, lock);
  } catch (error) {
    if (isStaged) undo(journal);
    cleanUp(folder, journal);
    throw error;
  }
  cleanUp(folder, journal);
}

function recover(scope: Scope, folder: Folder, lock: LockFile): void {
  rmSync(folder.at(temporaryName(JOURNAL)), { force: true });
  lock.removeLeftovers();
  const text = readRegularFile(folder, JOURNAL, MAX_JOURNAL_BYTES);
  if (text === undefined) return;
  const journal = parseJournal(text, scope, `${folder.path}/${JOURNAL}`);
  if (journal.state === 'commit') {
    try {
      finish(journal, lock);
    } catch (error) {
      undo(journal);
      cleanUp(folder, journal);
      throw error;
    }
  }
  cleanUp(folder, journal);
}

/** May run again after a crash at any point. */
function finish({ id, name, key, steps, entry }: Journal, lock: LockFile): void {
  for (const step of steps) onStaging(step, id, (staging) => staging.swap(name, step.removes));
  lock.edit(key, entry ?? undefined);
}

function undo({ id, name, steps }: Journal): void {
  for (const step of steps) onStaging(step, id, (staging) => staging.undo(name, step.removes));
}

function cleanUp(folder: Folder, { id, steps }: Journal): void {
  for (const step of steps) onStaging(step, id, (staging) => staging.remove());
  rmSync(folder.at(JOURNAL), { force: true });
  folder.sync();
}

function onStaging({ root, path }: Journal['steps'][number], id: string, act: (staging: Staging) => void): void {
  const base = openBelow(root, path);
  try {
    if (base) act(new Staging(base, id));
  } finally {
    base?.close();
  }
}

function writeJournal(folder: Folder, journal: Journal): void {
  writeAtomically(folder, JOURNAL, JSON.stringify(journal));
}

/**
 * A journal comes from this folder, which may be part of somebody's repository: it may name nothing but skills in the
 * folders of agents.
 * @throws SkillError
 */
function parseJournal(text: string, scope: Scope, path: string): Journal {
  const bases = new Set([sharedBase(scope), ...ownBases(scope)].map((base) => `${base.root}\0${base.path}`));
  try {
    const journal = JSON.parse(text) as Journal;
    const isKnown =
      journal.version === 1 &&
      /^[0-9a-f]{16}$/.test(journal.id) &&
      isFolderName(journal.name) &&
      typeof journal.key === 'string' &&
      (journal.entry === null || isEntry(journal.entry)) &&
      journal.steps.every((step) => bases.has(`${step.root}\0${step.path}`) && typeof step.removes === 'boolean');
    if (isKnown) return journal;
  } catch (error) {
    if (!(error instanceof SyntaxError || error instanceof TypeError)) throw error;
  }
  throw new SkillError(`${path} is not a journal of this command for this folder`, 'Remove it.');
}

/** What may be a folder of a skill that the `skills` package installed. */
function isFolderName(name: unknown): name is string {
  return typeof name === 'string' && (isSkillName(name) || /^(?!\.)[a-z0-9._-]{1,255}$/.test(name));
}
