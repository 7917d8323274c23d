import { existsSync } from 'node:fs';
import { join, relative } from 'node:path';
import type { SkillContent } from '@agent-fleet/skills/content/skill-content';
import { SkillError } from '@agent-fleet/skills/skill-error';
import { type Base, ownBase, ownBases, type Scope, sharedBase } from '../scope.ts';
import { compareWithLock, findLocations, hashLocation, isShared, type Location, linkToShared } from './locations.ts';
import type { LockEntry, LockFile } from './lock-file.ts';
import type { Change } from './transaction.ts';

export interface InstallOptions {
  /** Agents that the user named; `installed`: the skill stays where it is. */
  agents: readonly string[] | 'installed';
  copies: boolean;
  /** Overwrites local edits and skills of the same name from elsewhere. */
  force: boolean;
}

/** What will be done, or was. */
export interface Plan {
  change: Change;
  /** `linked`: only links or copies are new. */
  outcome: 'added' | 'updated' | 'linked' | 'unchanged';
  /** Relative to the root of the scope. */
  written: string[];
  agents: string[];
}

/**
 * What it takes to install a skill: its folder, links for agents, and its entry in the lock file.
 * @throws SkillError if something would be lost: local edits, or a skill of this name from elsewhere
 */
export async function planInstall(
  scope: Scope,
  lock: LockFile,
  content: SkillContent,
  entry: LockEntry,
  options: InstallOptions,
): Promise<Plan> {
  const { name } = content.frontMatter;
  const known = lock.read().get(name);
  const locations = findLocations(scope, name);
  const staysPut = options.agents === 'installed' && locations.some(({ kind }) => kind === 'folder');
  const chosen = options.agents === 'installed' ? [] : chooseBases(scope, options.agents);
  if (!options.force) {
    requireSameOrigin(name, known, entry, lock, locations);
    for (const location of locations) await requireUnedited(location, name, known, content);
  }
  const targets: Change['targets'][number][] = [];
  const files = { type: 'files', files: content.files } as const;
  const shared = sharedBase(scope);
  for (const base of [...(staysPut ? [] : [shared]), ...chosen, ...locations.map((location) => location.base)]) {
    if (targets.some((one) => isSame(one.base, base))) continue;
    const location = locations.find((one) => isSame(one.base, base));
    const isChosen = chosen.some((one) => isSame(one, base));
    const keepsFiles =
      isSame(base, shared) || (options.copies && isChosen) || (!isChosen && location?.kind === 'folder');
    targets.push({ base, target: keepsFiles ? files : { type: 'link', to: linkToShared(base, scope, name) } });
  }
  const needed: Change['targets'][number][] = [];
  for (const one of targets) {
    const location = locations.find(({ base }) => isSame(base, one.base));
    if (!(await isDone(one.target.type, location, content))) needed.push(one);
  }
  const merged = { ...known, ...entry };
  const agents = [...new Set([...chosen, ...locations.map(({ base }) => base)].flatMap((base) => base.agents))].sort();
  const change = { name, key: name, targets: needed, entry: merged };
  return {
    change,
    outcome: outcomeOf(needed, known, merged, shared),
    written: listWritten(scope, lock, change),
    agents,
  };
}

/** Everything of a skill goes: folders, links, and the entry of the lock file. */
export async function planRemoval(
  scope: Scope,
  lock: LockFile,
  { key, name, force }: { key: string; name: string; force: boolean },
): Promise<Plan> {
  const locations = findLocations(scope, name);
  const known = lock.read().get(key);
  for (const location of force ? [] : locations) {
    const isOurs = location.kind === 'link' || (location.kind === 'folder' && known !== undefined);
    if (!isOurs) throw new SkillError(`${location.path} is not in the lock file`, 'Add --force to remove it.');
    if (location.kind === 'folder') await requireUnedited(location, name, known, undefined);
  }
  const targets = locations.map(({ base }) => ({ base, target: { type: 'none' } as const }));
  const change = { name, key, targets, entry: undefined };
  const written = [...locations.map(({ path }) => path), ...(known ? [shown(scope, lock.path)] : [])];
  const isNothing = locations.length === 0 && !known;
  return { change, outcome: isNothing ? 'unchanged' : 'updated', written, agents: [] };
}

/** The folders of agents: of those named, else of those that the project or user has one for. */
function chooseBases(scope: Scope, agents: readonly string[]): Base[] {
  const named = agents.flatMap((agent) => {
    if (agent === 'eve')
      throw new SkillError('eve needs copies with another front matter', 'Use `npx skills add -a eve`.');
    const base = ownBase(scope, agent);
    return base ? [base] : [];
  });
  const isPresent = ({ root, path }: Base) => path.startsWith('.') && existsSync(join(root, path.split('/')[0] ?? ''));
  const bases = agents.length > 0 ? named : ownBases(scope).filter(isPresent);
  const distinct = bases.filter((base, at) => bases.findIndex((one) => isSame(one, base)) === at);
  return distinct.filter((base) => !isShared(base, scope));
}

function isSame(a: Base, b: Base): boolean {
  return a.root === b.root && a.path === b.path;
}

function requireSameOrigin(
  name: string,
  known: LockEntry | undefined,
  entry: LockEntry,
  lock: LockFile,
  locations: readonly Location[],
): void {
  const present = locations.find(({ kind }) => kind !== 'link');
  if (!known && present) {
    throw new SkillError(
      `${present.path} exists and is not in ${lock.path}: another skill has the name ${name}`,
      'Add --force to replace it.',
    );
  }
  if (!known || originOf(known, lock) === originOf(entry, lock)) return;
  throw new SkillError(
    `${name} is installed from ${known.sourceUrl ?? known.source}, not from ${entry.sourceUrl ?? entry.source}`,
    'Add --force to replace it, or remove it first.',
  );
}

function originOf({ sourceType, source, sourceUrl }: LockEntry, lock: LockFile): string {
  if (sourceType === 'local') return `local ${lock.toAbsolute(source)}`;
  const address = sourceType === 'github' ? source : (sourceUrl ?? source);
  return address.toLowerCase().replace(/(?:\.git)?\/*$/, '');
}

async function requireUnedited(
  location: Location,
  name: string,
  known: LockEntry | undefined,
  content: SkillContent | undefined,
): Promise<void> {
  if (location.kind === 'link') return;
  if (location.kind === 'other')
    throw new SkillError(`${location.path} is not of ${name}`, 'Add --force to replace it.');
  if (content && (await hashLocation(location))?.includes(content.installedHash)) return;
  if (!known || (await compareWithLock(location, known)) === 'same') return;
  throw new SkillError(
    `${location.path} has local edits: its files are not those of the lock file`,
    'Keep a copy of them, and add --force to discard them.',
  );
}

async function isDone(type: 'files' | 'link' | 'none', location: Location | undefined, content: SkillContent) {
  if (type === 'link') return location?.kind === 'link';
  if (type !== 'files' || location?.kind !== 'folder') return false;
  // Also without files that are not installed, such as __pycache__, which an unchanged skill may have.
  return (await hashLocation(location))?.[0] === content.installedHash;
}

function outcomeOf(
  needed: Change['targets'],
  known: LockEntry | undefined,
  entry: LockEntry,
  shared: Base,
): Plan['outcome'] {
  if (!known) return 'added';
  if (
    needed.some(
      ({ base, target }) =>
        target.type === 'files' && (isSame(base, shared) || entry.computedHash !== known.computedHash),
    )
  )
    return 'updated';
  if (needed.length > 0) return 'linked';
  const isEqual = JSON.stringify(sorted(known)) === JSON.stringify(sorted(entry));
  return isEqual ? 'unchanged' : 'updated';
}

function sorted(entry: LockEntry): unknown {
  return Object.entries(entry)
    .filter(([name, value]) => value !== undefined && !/^(?:installedAt|updatedAt)$/.test(name))
    .sort(([a], [b]) => (a < b ? -1 : 1));
}

function listWritten(scope: Scope, lock: LockFile, { name, targets }: Change): string[] {
  const paths = targets.flatMap(({ base, target }) => {
    const folder = shown(scope, join(base.root, base.path, name));
    if (target.type === 'files') return target.files.map(({ path }) => `${folder}/${path}`);
    return target.type === 'link' ? [`${folder} -> ${target.to}`] : [folder];
  });
  return [...paths, shown(scope, lock.path)];
}

function shown({ root }: Scope, path: string): string {
  const below = relative(root, path);
  return below.startsWith('..') ? path : below;
}
