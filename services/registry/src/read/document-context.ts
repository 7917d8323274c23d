import { isObject } from '@agent-fleet/shared/contract/json-object';
import { inBothCases } from '../normalise/field-names.ts';
import { toCommit } from '../normalise/locations/origin.ts';
import { joinRepository, parseRepository } from '../normalise/locations/repository-address.ts';
import type { RecordContext } from '../normalise/records.ts';
import { isOnRepositoryHost } from '../skills/hosts.ts';
import type { SkillKind } from '../skills/skill.ts';
import { cleanLine } from '../skills/text.ts';

const MAX_LENGTH = 1_024;
const REPOSITORY_NAMES = [
  'repo_url',
  'repository',
  'repository_url',
  'github',
  'github_url',
  'git_url',
  'repo',
  'github_repo',
  'upstream',
  'full_name',
  'git',
].flatMap(inBothCases);
/** These name a repository only if they are its address. */
const ADDRESS_NAMES = ['source', 'url', 'link'];
const COMMIT_NAMES = ['commit', 'commit_sha', 'commit_hash', 'git_commit_sha', 'sha'].flatMap(inBothCases);
const REF_NAMES = ['ref', 'tag', 'branch', 'default_branch', 'commit', 'commit_sha'].flatMap(inBothCases);
/** Objects that may say it, too. */
const PLACES = ['source', 'git', 'repository', 'repo'];

/** Members of a file that say something about all of its records. */
export const CONTEXT_NAMES = [
  ...REPOSITORY_NAMES,
  ...ADDRESS_NAMES,
  ...COMMIT_NAMES,
  ...REF_NAMES,
  'owner',
  'metadata',
  'pluginRoot',
  'id',
  'slug',
  'name',
  'title',
];

export function toContext(kind: SkillKind, members: Record<string, unknown>, address?: string): RecordContext {
  const metadata = isObject(members.metadata) ? members.metadata : {};
  const places = [...PLACES.map((name) => members[name]).filter(isObject), members, metadata];
  const repository = findRepository(members) ?? places.map(findRepository).find((text) => text !== undefined);
  const commits = places.flatMap((place) => COMMIT_NAMES.map((name) => toCommit(place[name])));
  const ref = commits.find((text) => text !== undefined) ?? (repository && findText(REF_NAMES, ...places));
  const ofMarketplace =
    kind === 'plugin' ? { owner: toName(members.owner), root: findText(['pluginRoot'], metadata, members) } : {};
  const context = { kind, address, repository, ref, ...ofMarketplace };
  return Object.fromEntries(Object.entries(context).filter(([, text]) => text !== undefined)) as typeof context;
}

/** The name of a group of records that is a category. */
export function toCategory(group: Record<string, unknown>): string | undefined {
  return findText(['id', 'slug', 'name', 'title'], group);
}

/** The first text that names a repository, also one whose owner is apart. */
function findRepository(members: Record<string, unknown>): string | undefined {
  for (const name of REPOSITORY_NAMES) {
    const value = members[name];
    const text = toText(isObject(value) ? (value.url ?? value.html_url ?? value.full_name ?? value.repo) : value);
    if (text === undefined) continue;
    if (parseRepository(text)) return text;
    const owner = toText(members.owner);
    const joined = owner === undefined || text.includes('/') ? undefined : joinRepository(owner, text);
    if (joined) return joined.repo;
  }
  return ADDRESS_NAMES.map((name) => toText(members[name])).find(
    (text) => text !== undefined && isOnRepositoryHost(text),
  );
}

function findText(names: readonly string[], ...objects: Record<string, unknown>[]): string | undefined {
  for (const object of objects) {
    for (const name of names) {
      const text = toText(object[name]);
      if (text !== undefined) return text;
    }
  }
  return undefined;
}

function toName(owner: unknown): string | undefined {
  return toText(isObject(owner) ? owner.name : owner);
}

function toText(value: unknown): string | undefined {
  return typeof value === 'string' && value.length <= MAX_LENGTH ? cleanLine(value) || undefined : undefined;
}
