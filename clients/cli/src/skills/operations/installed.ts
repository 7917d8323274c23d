import { join } from 'node:path';
import { type CheckedSkillFile, checkSkillFile } from '@agent-fleet/skills/content/front-matter';
import { SKILL_FILE } from '@agent-fleet/skills/content/skill-content';
import { usageError } from '@agent-fleet/skills/skill-error';
import {
  compareWithLock,
  findLocations,
  findNames,
  type Location,
  readSkillFile,
  toFolderName,
} from '../install/locations.ts';
import { type LockEntry, LockFile } from '../install/lock-file.ts';
import { planRemoval } from '../install/plan.ts';
import { changeSkills, isInterrupted } from '../install/transaction.ts';
import { type SkillsContext, toScope } from '../scope.ts';

/** A skill that is installed, or that the lock file has. */
export interface InstalledSkill {
  /** In the lock file; the name of its folder if it is not there. */
  key: string;
  folder: string;
  entry: LockEntry | undefined;
  locations: Location[];
}

/** `skills list` */
export interface ListedSkill {
  name: string;
  description: string | null;
  scope: 'project' | 'global';
  /** `untracked`: not in the lock file; `unknown`: the lock file has no hash to tell. */
  state: 'ok' | 'edited' | 'missing' | 'untracked' | 'unknown';
  path: string | null;
  /** Agents with a folder of their own; those that share `.agents/skills` are not named. */
  agents: string[];
  source: string | null;
  ref: string | null;
  commit: string | null;
  registry: string | null;
  skill_id: string | null;
  /** What is wrong with its SKILL.md, with file and line. */
  issues: string[];
}

/** What is installed, after an interrupted change has been finished. */
export async function readInstalled(context: SkillsContext, isGlobal: boolean): Promise<InstalledSkill[]> {
  const scope = toScope(context, isGlobal);
  const lock = new LockFile(scope);
  if (isInterrupted(scope)) await changeSkills(scope, lock, { signal: context.signal }, () => {});
  const entries = lock.read();
  const keys = new Map([...entries.keys()].map((key) => [toFolderName(key), key]));
  const folders = new Set([...keys.keys(), ...findNames(scope)]);
  return [...folders].sort().map((folder) => {
    const key = keys.get(folder) ?? folder;
    return { key, folder, entry: entries.get(key), locations: findLocations(scope, folder) };
  });
}

/**
 * Those with these names, else all that the lock file has.
 * @throws SkillError if one is not installed
 */
export function selectInstalled(installed: readonly InstalledSkill[], names: readonly string[]): InstalledSkill[] {
  if (names.length === 0) return installed.filter(({ entry }) => entry !== undefined);
  return names.map((name) => {
    const found = installed.find(({ key, folder }) => key === name || folder === name);
    if (found) return found;
    const there = installed.map(({ key }) => key).join(', ');
    throw usageError(`${name} is not installed`, there ? `Installed are ${there}.` : 'No skill is installed.');
  });
}

export async function listInstalled(context: SkillsContext, isGlobal: boolean): Promise<ListedSkill[]> {
  const installed = await readInstalled(context, isGlobal);
  return Promise.all(installed.map((skill) => toListed(skill, isGlobal)));
}

async function toListed({ key, entry, locations }: InstalledSkill, isGlobal: boolean): Promise<ListedSkill> {
  const location = locations.find(({ kind }) => kind === 'folder') ?? locations[0];
  const { frontMatter, issues } = await checkInstalled(locations);
  return {
    name: key,
    description: frontMatter?.description ?? null,
    scope: isGlobal ? 'global' : 'project',
    state: await stateOf(locations, entry),
    path: location?.path ?? null,
    agents: [...new Set(locations.flatMap(({ base }) => base.agents))].sort(),
    source: entry?.sourceUrl ?? entry?.source ?? null,
    ref: entry?.ref ?? null,
    commit: entry?.commit ?? null,
    registry: entry?.registry ?? null,
    skill_id: entry?.skillId ?? null,
    issues,
  };
}

/** Over all locations: one that is edited counts, and a lock entry without a folder is missing. */
export async function stateOf(
  locations: readonly Location[],
  entry: LockEntry | undefined,
): Promise<ListedSkill['state']> {
  if (!entry) return 'untracked';
  const folders = locations.filter(({ kind }) => kind === 'folder');
  if (folders.length === 0) return 'missing';
  const states = await Promise.all(folders.map((location) => compareWithLock(location, entry)));
  if (states.includes('edited') || locations.some(({ kind }) => kind === 'other')) return 'edited';
  return states.includes('unknown') ? 'unknown' : 'ok';
}

/** Its SKILL.md, in the first folder that has one. */
export async function checkInstalled(locations: readonly Location[]): Promise<CheckedSkillFile> {
  const location = locations.find(({ kind }) => kind === 'folder') ?? locations[0];
  const bytes = location && (await readSkillFile(location));
  return bytes ? checkSkillFile(bytes, join(location.path, SKILL_FILE)) : { frontMatter: undefined, issues: [] };
}

export interface RemoveResult {
  name: string;
  dry_run: boolean;
  /** Relative to the root of the scope. */
  removed: string[];
}

/** Removes the folder, all links and the entry of the lock file of each skill. */
export async function removeSkills(
  context: SkillsContext,
  names: readonly string[],
  options: { global?: boolean; dryRun?: boolean; force?: boolean },
): Promise<RemoveResult[]> {
  const { global: isGlobal = false, dryRun = false, force = false } = options;
  const scope = toScope(context, isGlobal);
  const lock = new LockFile(scope);
  const selected = selectInstalled(await readInstalled(context, isGlobal), names);
  return changeSkills(scope, lock, { dryRun, signal: context.signal }, async (apply) => {
    // All are checked before the first is removed.
    const plans = await Promise.all(
      selected.map(({ key, folder }) => planRemoval(scope, lock, { key, name: folder, force })),
    );
    return plans.map(({ change, written }) => {
      apply(change);
      return { name: change.key, dry_run: dryRun, removed: written };
    });
  });
}
