import { RefusedError } from '@agent-fleet/skills/content/entries';
import { hashFiles, type SkillFile } from '@agent-fleet/skills/content/folder-hash';
import { checkSkillFile, isSkillName } from '@agent-fleet/skills/content/front-matter';
import { SKILL_FILE, type SkillFolder } from '@agent-fleet/skills/content/skill-content';
import { findSkills, loadFolder, pickSkill, type SkillTree } from '@agent-fleet/skills/content/skill-tree';
import {
  compareDigest,
  type RegistryFile,
  type RegistryOptions,
  type RegistrySkill,
  readRegistryFile,
  readRegistrySkill,
  sourceOf,
} from '@agent-fleet/skills/registry';
import { SkillError } from '@agent-fleet/skills/skill-error';
import { openTree, type SourceOptions } from '@agent-fleet/skills/sources/open-source';
import type { SkillSource } from '@agent-fleet/skills/sources/skill-source';
import { FetchError } from '@agent-fleet/skills/sources/web-fetch';
import { TaskError } from '../errors.ts';

/** A skill that a task names. `digests` are those that it pins. */
export interface WantedSkill {
  id: string;
  digests: ReadonlySet<string>;
}

/** A skill in memory. */
export interface FetchedSkill {
  id: string;
  /** Of the SKILL.md; undefined if it is not a valid name. */
  name: string | undefined;
  /** `sha256:` and 64 hex digits, of the exact bytes of the SKILL.md. */
  digest: string;
  verified: boolean;
  files: readonly SkillFile[];
}

export interface FetchSkillOptions {
  registry: RegistryOptions & { signal: AbortSignal };
  /** Whether what cannot be verified is refused. */
  isStrict: boolean;
  /** Of Git. */
  env: NodeJS.ProcessEnv;
  /** Repositories that stay open for the next skill; whoever has the map closes them. */
  trees: Map<string, Promise<SkillTree>>;
}

/** Of a SKILL.md, as in the registry. */
const MAX_FILE_BYTES = 256 * 1024;

/** Why a skill is not verified, as the end of a sentence. */
interface Doubt {
  reason: string;
  /** Whether another attempt may help, default false. */
  retryable?: boolean;
  cause?: unknown;
}

const NO_DIGEST: Doubt = { reason: 'has no digest: the registry sent none, and the task pins none' };

/**
 * Fetches a skill of the registry and compares its digests. The SKILL.md comes through the registry; the files beside
 * it from the repository, if it has one, at the commit whose SKILL.md has the same digest. Where the registry cannot
 * fetch it (it reads repositories on GitHub and GitLab only), all comes from the repository, and counts as verified if
 * the registry lists its digest, or the task pins it.
 * @throws TaskError `skill_unverified`
 */
export async function fetchSkill(wanted: WantedSkill, options: FetchSkillOptions): Promise<FetchedSkill> {
  const { id, digests } = wanted;
  const record = await ask(id, options.registry, readRegistrySkill);
  const source = locate(id, record, options.registry.url);
  const file = await ask(id, options.registry, readFile);
  if (!file) return fetchFromRepository(wanted, record, source, options);
  const { bytes, digest, computed } = file;
  checkPins(wanted, digest);
  if (computed !== undefined && computed !== digest) {
    throw unverified(id, { reason: `arrived with the digest ${digest}, and the registry sent ${computed}` });
  }
  const doubt = doubtOf(file, digests.size > 0);
  if (doubt && options.isStrict) throw unverified(id, doubt);
  const { files, doubt: later } = await complete({ id, record, source, file }, options);
  if (later && options.isStrict) throw unverified(id, later);
  return { id, name: nameOf(bytes), digest, verified: !doubt && !later, files };
}

async function fetchFromRepository(
  wanted: WantedSkill,
  record: RegistrySkill,
  source: SkillSource,
  { registry, env, trees, isStrict }: FetchSkillOptions,
): Promise<FetchedSkill> {
  const { id, digests } = wanted;
  if (source.kind !== 'git') throw unverified(id, { reason: 'has no SKILL.md that the registry can fetch' });
  const folder = await readRepository(id, source, { fetch: registry.fetch, signal: registry.signal, env, trees });
  if (folder instanceof SkillError) throw unverified(id, unreachable(folder));
  const digest = `sha256:${folder.skillFileHash}`;
  checkPins(wanted, digest);
  const isKnown = digests.size > 0 || compareDigest(record, folder) === 'same';
  const doubt = compare(record, folder) ?? (isKnown ? undefined : NO_DIGEST);
  if (doubt && isStrict) throw unverified(id, doubt);
  const { bytes } = folder.files.find(({ path }) => path === SKILL_FILE) as SkillFile;
  if (bytes.length > MAX_FILE_BYTES) throw unverified(id, { reason: `has a SKILL.md of ${bytes.length} bytes` });
  return { id, name: nameOf(bytes), digest, verified: !doubt, files: folder.files };
}

/** Undefined if the registry has no SKILL.md of the skill. */
async function readFile(id: string, registry: RegistryOptions): Promise<RegistryFile | undefined> {
  try {
    return await readRegistryFile(id, registry);
  } catch (error) {
    if (error instanceof FetchError && error.status === 404) return undefined;
    throw error;
  }
}

async function ask<T>(
  id: string,
  registry: RegistryOptions,
  read: (id: string, registry: RegistryOptions) => Promise<T>,
): Promise<T> {
  try {
    return await read(id, registry);
  } catch (error) {
    registry.signal?.throwIfAborted();
    if (!(error instanceof SkillError)) throw error;
    throw unverified(id, error instanceof FetchError ? unreachable(error) : refused(error));
  }
}

function checkPins({ id, digests }: WantedSkill, digest: string): void {
  for (const pinned of digests) {
    if (pinned !== digest) throw unverified(id, { reason: `has the digest ${digest}, and the task pins ${pinned}` });
  }
}

/** A pin is a digest, too: of what the task wants. */
function doubtOf({ computed, declared, digest }: RegistryFile, isPinned: boolean): Doubt | undefined {
  if (declared !== undefined) return { reason: `has the digest ${digest}, and its source declares ${declared}` };
  return computed === undefined && !isPinned ? NO_DIGEST : undefined;
}

/**
 * The files of a skill: the SKILL.md alone if it has no repository, or none that can be read, or if the digest of its
 * folder says that it is the only one.
 */
async function complete(
  { id, record, source, file }: { id: string; record: RegistrySkill; source: SkillSource; file: RegistryFile },
  { registry, env, trees }: FetchSkillOptions,
): Promise<{ files: readonly SkillFile[]; doubt?: Doubt }> {
  const alone = toFolder(file);
  const isComplete = record.digest_of === 'folder' && compareDigest(record, alone) === 'same';
  if (source.kind !== 'git' || isComplete) return { files: alone.files, doubt: compare(record, alone) };
  const folder = await readRepository(id, source, { fetch: registry.fetch, signal: registry.signal, env, trees });
  if (folder instanceof SkillError) return { files: alone.files, doubt: unreachable(folder) };
  if (folder.skillFileHash === alone.skillFileHash) return { files: folder.files, doubt: compare(record, folder) };
  const reason = `has another SKILL.md in its repository, with the digest sha256:${folder.skillFileHash}`;
  return { files: alone.files, doubt: { reason } };
}

function compare(record: RegistrySkill, folder: SkillFolder): Doubt | undefined {
  if (compareDigest(record, folder) !== 'differs') return undefined;
  const found = record.digest_of === 'folder' ? folder.computedHash : folder.skillFileHash;
  return { reason: `has the digest sha256:${found}, and the registry lists ${record.digest}` };
}

function locate(id: string, record: RegistrySkill, registryUrl: string): SkillSource {
  try {
    return sourceOf(record, registryUrl);
  } catch (error) {
    throw error instanceof SkillError ? unverified(id, refused(error)) : error;
  }
}

/** The folder, or why it cannot be had. @throws TaskError for a folder that is refused */
async function readRepository(
  id: string,
  source: SkillSource,
  options: SourceOptions & { signal: AbortSignal },
): Promise<SkillFolder | SkillError> {
  try {
    const { tree, close } = await openTree(source, options);
    try {
      const found = pickSkill(await findSkills(tree, source.path ?? ''), source.skill);
      return found ? await loadFolder(tree, found.folder) : new SkillError(`${source.url} has no such skill`);
    } finally {
      close();
    }
  } catch (error) {
    options.signal.throwIfAborted();
    if (error instanceof RefusedError) throw unverified(id, refused(error));
    if (error instanceof SkillError) return error;
    throw error;
  }
}

/** The SKILL.md as a folder of one file. */
function toFolder({ bytes, digest }: RegistryFile): SkillFolder {
  const files = [{ path: SKILL_FILE, bytes, executable: false }];
  const computedHash = hashFiles(files);
  return {
    files,
    computedHash,
    installedHash: computedHash,
    skillFileHash: digest.slice('sha256:'.length),
    warnings: [],
  };
}

function nameOf(skillFile: Buffer): string | undefined {
  const name = checkSkillFile(skillFile, SKILL_FILE).frontMatter?.name;
  return name !== undefined && isSkillName(name) ? name : undefined;
}

/** Another attempt helps where a host did not respond, or not now. */
function unreachable(error: SkillError): Doubt {
  const status = error instanceof FetchError ? error.status : undefined;
  const retryable = status === undefined || status === 408 || status === 429 || status >= 500;
  return { reason: `cannot be fetched: ${error.message}`, retryable, cause: error };
}

function refused(error: SkillError): Doubt {
  return { reason: `is refused: ${error.message}`, cause: error };
}

export function unverified(id: string, { reason, retryable = false, cause }: Doubt): TaskError {
  return new TaskError(`The skill ${JSON.stringify(id)} ${reason}`, { code: 'skill_unverified', retryable, cause });
}
