import type { SkillContent } from '@agent-fleet/skills/content/skill-content';
import {
  type FoundSkill,
  isReadable,
  noSuchSkill,
  pickSkill,
  problemsOf,
  type SkillTree,
} from '@agent-fleet/skills/content/skill-tree';
import { compareDigest, type RegistrySkill, sourceOf } from '@agent-fleet/skills/registry';
import { SkillError, usageError } from '@agent-fleet/skills/skill-error';
import { type OpenedSource, openSource } from '@agent-fleet/skills/sources/open-source';
import { isSkillId, parseSource, type SkillSource } from '@agent-fleet/skills/sources/skill-source';
import { type LockEntry, LockFile } from '../install/lock-file.ts';
import { type Plan, planInstall } from '../install/plan.ts';
import { changeSkills } from '../install/transaction.ts';
import { type SkillsContext, toScope } from '../scope.ts';
import { toLockEntry } from './lock-entry.ts';

export interface AddOptions {
  agent?: string[];
  global?: boolean;
  copy?: boolean;
  ref?: string;
  dryRun?: boolean;
  force?: boolean;
}

/** What `skills add` and `skills update` say about a skill. */
export interface AddResult {
  name: string;
  outcome: Plan['outcome'];
  dry_run: boolean;
  source: string;
  path: string | null;
  ref: string | null;
  commit: string | null;
  license: string | null;
  registry: string | null;
  skill_id: string | null;
  /** How the content compares with the digest of the registry. */
  digest: 'same' | 'differs' | 'none';
  /** Rules of the specification that the skill breaks, as the registry says, and what is wrong with its SKILL.md. */
  issues: string[];
  warnings: string[];
  agents: string[];
  hash: string;
  written: string[];
}

/** A skill that was fetched and checked, and is not yet installed. */
export interface FetchedSkill {
  opened: OpenedSource;
  found: FoundSkill;
  content: SkillContent;
  record: RegistrySkill | undefined;
}

/** @throws SkillError, FleetError of the registry */
export async function addSkill(context: SkillsContext, text: string, options: AddOptions): Promise<AddResult> {
  const { source, record } = await resolve(context, text, options.ref);
  return withFetched(context, source, record, options.force === true, (fetched) => install(context, fetched, options));
}

/** Fetches a skill, compares it with the registry, and closes its source after `use`. */
export async function withFetched<T>(
  context: SkillsContext,
  source: SkillSource,
  record: RegistrySkill | undefined,
  force: boolean,
  use: (fetched: FetchedSkill) => Promise<T>,
  trees?: Map<string, Promise<SkillTree>>,
): Promise<T> {
  context.progress(`Fetching ${source.url}`);
  const opened = await openSource(source, { ...fetchOptions(context, record), trees });
  try {
    const found = await choose(context, opened);
    const content = await opened.load(found);
    const isOther = record !== undefined && compareDigest(record, content) === 'differs';
    if (isOther && !force) throw differs(record as RegistrySkill, content);
    return await use({ opened, found, content, record });
  } finally {
    opened.close();
  }
}

function fetchOptions({ env, fetch, signal, registry }: SkillsContext, record: RegistrySkill | undefined) {
  return { env, fetch, signal, ...(record && { trustedOrigin: new URL(registry().url).origin }) };
}

async function resolve(context: SkillsContext, text: string, ref: string | undefined) {
  if (!isSkillId(text)) {
    const source = parseSource(text, context.cwd);
    if (ref === undefined) return { source };
    if (source.kind !== 'git') throw usageError('Only a repository has refs', 'Leave out --ref.');
    return { source: { ...source, ref } };
  }
  const registry = context.registry();
  const record = await registry.read(text);
  const source = sourceOf(record, registry.url);
  return { record, source: ref === undefined ? source : { ...source, ref } };
}

async function choose(context: SkillsContext, { source, skills }: OpenedSource): Promise<FoundSkill> {
  const picked = pickSkill(skills, source.skill);
  if (picked) return picked;
  const { shown, toSource } = nameSource(source);
  const readable = skills.filter(isReadable);
  if (source.skill !== undefined || readable.length === 0 || !context.choose) {
    throw noSuchSkill(skills, source.skill, shown, toSource);
  }
  const name = await context.choose(
    `${shown} has ${readable.length} skills`,
    readable.map((skill) => ({ value: skill.name, label: `${skill.name}: ${skill.description.slice(0, 100)}` })),
  );
  return readable.find((skill) => skill.name === name) as FoundSkill;
}

/** A source as the user names it, and one of its skills. */
function nameSource({ type, url, ref = '', path }: SkillSource) {
  if (type === 'local') return { shown: url, toSource: ({ folder }: FoundSkill) => `${url}/${folder}` };
  if (type !== 'github') return { shown: url, toSource: ({ name }: FoundSkill) => `${url}#${ref}@${name}` };
  const repository = new URL(url).pathname.replace(/^\/|\.git$/g, '');
  const after = ref && `#${ref}`;
  return {
    shown: path ? `${repository}/${path}` : repository,
    toSource: ({ name }: FoundSkill) => `${repository}@${name}${after}`,
  };
}

function differs({ id, digest, digest_of }: RegistrySkill, content: SkillContent): SkillError {
  const [what, found] =
    digest_of === 'skill_md' ? ['SKILL.md', content.skillFileHash] : ['folder', content.computedHash];
  return new SkillError(
    `The ${what} of ${id} has the digest sha256:${found}, the registry says ${digest}`,
    'It has changed since it was listed, or registries compute digests of folders in another way. Read it first; --force installs it.',
  );
}

/** Installs under the mutex, unless it is only to say what would be done. */
async function install(context: SkillsContext, fetched: FetchedSkill, options: AddOptions): Promise<AddResult> {
  const { global: isGlobal = false, dryRun = false, force = false } = options;
  const scope = toScope(context, isGlobal);
  const lock = new LockFile(scope);
  const { content } = fetched;
  const entry = toEntry(context, fetched, lock, isGlobal);
  const install = { agents: options.agent ?? [], copies: options.copy === true, force };
  return changeSkills(scope, lock, { dryRun, signal: context.signal }, async (apply) => {
    const plan = await planInstall(scope, lock, content, entry, install);
    if (plan.outcome !== 'unchanged') apply(plan.change);
    return toResult(fetched, entry, plan, dryRun);
  });
}

export function toEntry(
  { registry }: SkillsContext,
  { opened, found, content, record }: FetchedSkill,
  lock: LockFile,
  isGlobal: boolean,
): LockEntry {
  const entry = toLockEntry(opened, found, content, lock, isGlobal);
  return record ? { ...entry, registry: registry().url, skillId: record.id } : entry;
}

function toResult(
  { opened, found, content, record }: FetchedSkill,
  entry: LockEntry,
  { change, outcome, written, agents }: Plan,
  dryRun: boolean,
): AddResult {
  const { source } = opened;
  return {
    name: change.key,
    outcome,
    dry_run: dryRun,
    source: entry.sourceUrl ?? entry.source,
    path: found.folder || null,
    ref: source.ref ?? null,
    commit: opened.commit ?? null,
    license: content.frontMatter.license ?? record?.license ?? null,
    registry: change.entry?.registry ?? null,
    skill_id: change.entry?.skillId ?? null,
    digest: record ? compareDigest(record, content) : 'none',
    issues: [...(record?.issues ?? []), ...content.issues],
    warnings: [...content.warnings, ...(source.skill === undefined ? problemsOf(opened.skills) : [])],
    agents,
    hash: content.computedHash,
    written: outcome === 'unchanged' ? [] : written,
  };
}
