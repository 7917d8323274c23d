import { NoSkillError, type SkillTree } from '@agent-fleet/skills/content/skill-tree';
import type { RegistrySkill } from '@agent-fleet/skills/registry';
import { SkillError } from '@agent-fleet/skills/skill-error';
import { type LockEntry, LockFile } from '../install/lock-file.ts';
import { planInstall } from '../install/plan.ts';
import { changeSkills } from '../install/transaction.ts';
import { type SkillsContext, toScope } from '../scope.ts';
import { type FetchedSkill, toEntry, withFetched } from './add.ts';
import { checkInstalled, type InstalledSkill, readInstalled, selectInstalled, stateOf } from './installed.ts';
import { sourceOfEntry } from './lock-entry.ts';

/** `skills check` and `skills update` */
export interface UpstreamResult {
  name: string;
  /**
   * `pinned`: its ref is a commit. `kept`: outdated, with local edits. `unknown`: only the `skills` package knows its
   * kind of source.
   */
  state: 'current' | 'outdated' | 'updated' | 'kept' | 'pinned' | 'failed' | 'unknown';
  source: string;
  ref: string | null;
  commit: string | null;
  latest_commit: string | null;
  edited: boolean;
  /** Why it failed or was kept. */
  reason: string | null;
  /** Relative to the root of the scope. */
  written: string[];
  /** What is wrong with the installed SKILL.md, with file and line. */
  issues: string[];
}

type Options = { global?: boolean; force?: boolean; dryRun?: boolean };
const COMMIT = /^[0-9a-f]{40}$/;

/** What is outdated upstream. */
export function checkSkills(context: SkillsContext, names: readonly string[], options: Options) {
  return eachUpstream(context, names, options, async ({ base, isOutdated }) => ({
    ...base,
    state: isOutdated ? 'outdated' : base.state,
  }));
}

/** Updates what is outdated. Local edits are kept unless `force`. */
export function updateSkills(context: SkillsContext, names: readonly string[], options: Options) {
  const { global: isGlobal = false, force = false, dryRun = false } = options;
  const scope = toScope(context, isGlobal);
  const lock = new LockFile(scope);
  return eachUpstream(context, names, options, async ({ base, isOutdated, skill, fetched }) => {
    if (!isOutdated && !(base.edited && force)) return base;
    if (base.edited && !force) {
      return { ...base, state: 'kept', reason: 'It has local edits; --force discards them.' };
    }
    const entry = toEntry(context, fetched, lock, isGlobal);
    if (fetched.content.frontMatter.name !== skill.folder) {
      throw new SkillError(`It has the name ${fetched.content.frontMatter.name} now`, 'Remove it and add it again.');
    }
    return changeSkills(scope, lock, { dryRun, signal: context.signal }, async (apply) => {
      const install = { agents: 'installed', copies: false, force } as const;
      const { change, written } = await planInstall(scope, lock, fetched.content, entry, install);
      apply({ ...change, key: skill.key });
      if (dryRun) return { ...base, state: 'outdated', written };
      return { ...base, state: 'updated', commit: fetched.opened.commit ?? null, written };
    });
  });
}

interface Upstream {
  skill: InstalledSkill;
  base: UpstreamResult;
  isOutdated: boolean;
  fetched: FetchedSkill;
}

/** One after another; each repository is fetched once. One that fails does not stop the others. */
async function eachUpstream(
  context: SkillsContext,
  names: readonly string[],
  { global: isGlobal = false, force = false }: Options,
  act: (upstream: Upstream) => Promise<UpstreamResult>,
): Promise<UpstreamResult[]> {
  const lock = new LockFile(toScope(context, isGlobal));
  const selected = selectInstalled(await readInstalled(context, isGlobal), names);
  const trees = new Map<string, Promise<SkillTree>>();
  const results: UpstreamResult[] = [];
  try {
    for (const skill of selected) results.push(await readUpstream(context, lock, skill, isGlobal, force, trees, act));
  } finally {
    for (const tree of await Promise.allSettled(trees.values())) if (tree.status === 'fulfilled') tree.value.close();
  }
  return results;
}

async function readUpstream(
  context: SkillsContext,
  lock: LockFile,
  skill: InstalledSkill,
  isGlobal: boolean,
  force: boolean,
  trees: Map<string, Promise<SkillTree>>,
  act: (upstream: Upstream) => Promise<UpstreamResult>,
): Promise<UpstreamResult> {
  const { key, entry, locations } = skill;
  const state = await stateOf(locations, entry);
  const { issues } = await checkInstalled(locations);
  const base = { ...toBase(key, entry, state === 'edited'), issues };
  if (!entry) return { ...base, state: 'unknown', reason: 'It is not in the lock file.' };
  try {
    const source = sourceOfEntry(key, entry, lock);
    if (!source)
      return { ...base, state: 'unknown', reason: `Only npx skills knows sources of type ${entry.sourceType}.` };
    const isPinned = entry.ref !== undefined && COMMIT.test(entry.ref);
    if (isPinned && state !== 'missing' && !force)
      return { ...base, state: 'pinned', latest_commit: entry.ref ?? null };
    const record = await readRecord(context, entry);
    const found = (fetched: FetchedSkill) => {
      const latest = toEntry(context, fetched, lock, isGlobal);
      const isOutdated = state === 'missing' || isOther(entry, latest);
      return act({ skill, base: { ...base, latest_commit: latest.commit ?? null }, isOutdated, fetched });
    };
    return await withMovedFolder(source, key, (where) => withFetched(context, where, record, force, found, trees));
  } catch (error) {
    context.signal?.throwIfAborted();
    if (!(error instanceof SkillError)) throw error;
    return { ...base, state: 'failed', reason: `${error.message}. ${error.hint ?? ''}`.trim() };
  }
}

/** A folder that is not there any more may be elsewhere in its repository. */
async function withMovedFolder<T, S extends { path?: string; skill?: string }>(
  source: S,
  key: string,
  fetch: (source: S) => Promise<T>,
): Promise<T> {
  try {
    return await fetch(source);
  } catch (error) {
    if (!(error instanceof NoSkillError) || !source.path) throw error;
    return fetch({ ...source, path: undefined, skill: key });
  }
}

function toBase(name: string, entry: LockEntry | undefined, edited: boolean): Omit<UpstreamResult, 'issues'> {
  return {
    name,
    state: 'current',
    source: entry?.sourceUrl ?? entry?.source ?? '',
    ref: entry?.ref ?? null,
    commit: entry?.commit ?? null,
    latest_commit: null,
    edited,
    reason: null,
    written: [],
  };
}

function isOther(entry: LockEntry, latest: LockEntry): boolean {
  if (entry.computedHash !== undefined) return entry.computedHash !== latest.computedHash;
  return entry.skillFolderHash !== latest.skillFolderHash || entry.wellKnownDigest !== latest.wellKnownDigest;
}

/** The record of the registry, if it is the one that the skill was added from and it responds. */
export async function readRecord(context: SkillsContext, entry: LockEntry): Promise<RegistrySkill | undefined> {
  if (entry.skillId === undefined || entry.registry === undefined) return undefined;
  try {
    const registry = context.registry();
    return registry.url === entry.registry ? await registry.read(entry.skillId) : undefined;
  } catch (error) {
    context.signal?.throwIfAborted();
    context.warn(
      `${entry.skillId} is not compared with the registry: ${error instanceof Error ? error.message : error}`,
    );
    return undefined;
  }
}
