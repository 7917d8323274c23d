import { dirname } from 'node:path';
import type { SkillContent } from '../content/skill-content.ts';
import { type FoundSkill, findSkills, loadSkill, type SkillTree } from '../content/skill-tree.ts';
import type { LockEntry, LockFile } from '../install/lock-file.ts';
import { SkillError } from '../skill-error.ts';
import { GitMissingError } from './git.ts';
import { openRepository } from './git-repository.ts';
import { openGitHubTree } from './github-tree.ts';
import { openLocalFolder } from './local-folder.ts';
import { parseSource, type SkillSource } from './skill-source.ts';
import type { FetchOptions } from './web-fetch.ts';
import { loadWebSkill, openWebSource, type WebSkill, wellKnownDigest } from './web-skills.ts';

export interface SourceOptions extends FetchOptions {
  env: NodeJS.ProcessEnv;
  /** Repositories and folders that stay open for more skills of them, by address; whoever has the map closes them. */
  trees?: Map<string, Promise<SkillTree>>;
}

/** A source that was fetched as far as needed to know its skills. */
export interface OpenedSource {
  source: SkillSource;
  /** Of a repository: what was fetched, whatever its branch says later. */
  commit?: string;
  skills: FoundSkill[];
  /** @throws SkillError if the folder is refused */
  load(skill: FoundSkill): Promise<SkillContent>;
  /** What the lock file says about where a skill is from. */
  toEntry(skill: FoundSkill, content: SkillContent, lock: LockFile, isGlobal: boolean): LockEntry;
  close(): void;
}

/** @throws SkillError */
export async function openSource(source: SkillSource, options: SourceOptions): Promise<OpenedSource> {
  if (source.kind === 'web') return openWeb(source, options);
  const { tree, close } = await openTree(source, options);
  try {
    const skills = await findSkills(tree, source.path ?? '');
    return {
      source,
      ...(tree.commit !== undefined && { commit: tree.commit }),
      skills,
      load: ({ folder }) => loadSkill(tree, folder),
      toEntry: (skill, content, lock, isGlobal) => toTreeEntry(source, tree, skill, content, lock, isGlobal),
      close,
    };
  } catch (error) {
    close();
    throw error;
  }
}

async function openTree(source: SkillSource, options: SourceOptions): Promise<{ tree: SkillTree; close: () => void }> {
  const { trees } = options;
  if (source.kind === 'local' || !trees) {
    const tree = source.kind === 'local' ? openLocalFolder(source.url) : await openGit(source, options);
    return { tree, close: () => tree.close() };
  }
  const key = `${source.url}#${source.ref ?? ''}`;
  const opening = trees.get(key) ?? openGit(source, options);
  trees.set(key, opening);
  return { tree: await opening, close: () => {} };
}

async function openGit(source: SkillSource, options: SourceOptions): Promise<SkillTree> {
  try {
    return await openRepository(source, options);
  } catch (error) {
    if (error instanceof GitMissingError && source.type === 'github') return openGitHubTree(source, options);
    throw error;
  }
}

function toTreeEntry(
  { type, url, ref }: SkillSource,
  tree: SkillTree,
  { folder }: FoundSkill,
  { computedHash, installedHash }: SkillContent,
  lock: LockFile,
  isGlobal: boolean,
): LockEntry {
  const isGitHub = type === 'github';
  const source = isGitHub ? new URL(url).pathname.replace(/^\/|\.git$/g, '') : url;
  const skillPath = folder === '' ? 'SKILL.md' : `${folder}/SKILL.md`;
  return {
    source: type === 'local' ? lock.toPortable(url) : source,
    sourceUrl: isGlobal || type === 'git' || type === 'gitlab' ? url : undefined,
    ref,
    sourceType: type,
    skillPath: type === 'local' ? undefined : skillPath,
    ...(isGlobal && { skillFolderHash: (isGitHub ? tree.treeId?.(folder) : undefined) ?? computedHash }),
    computedHash,
    installedHash: installedHash === computedHash ? undefined : installedHash,
    commit: tree.commit,
    wellKnownDigest: undefined,
  };
}

async function openWeb(source: SkillSource, options: SourceOptions): Promise<OpenedSource> {
  const { url } = source;
  const { type, skills } = await openWebSource(url, options);
  return {
    source: { ...source, type },
    skills,
    load: (skill) => loadWebSkill(skill as WebSkill, options),
    toEntry: (skill, content, _lock, isGlobal) => {
      const { computedHash, installedHash } = content;
      const isWellKnown = type === 'well-known';
      return {
        source: isWellKnown ? new URL(url).hostname.replace(/^www\./, '') : url,
        sourceUrl: url,
        ref: undefined,
        sourceType: type,
        skillPath: undefined,
        ...(isGlobal && { skillFolderHash: '', ...(isWellKnown && { sourceBaseUrl: url }) }),
        computedHash,
        installedHash: installedHash === computedHash ? undefined : installedHash,
        commit: undefined,
        wellKnownDigest: isWellKnown ? wellKnownDigest(skill as WebSkill, content) : undefined,
      };
    },
    close: () => {},
  };
}

/**
 * Where the lock file says that a skill is from; undefined for types that only the `skills` package knows.
 * @throws SkillError if the entry names a source that is not allowed
 */
export function sourceOfEntry(key: string, entry: LockEntry, lock: LockFile): SkillSource | undefined {
  const { sourceType, source, sourceUrl, ref, skillPath } = entry;
  const folder = skillPath === undefined ? undefined : dirname(skillPath).replace(/^\.$/, '');
  const where = { ...(ref && { ref }), ...(folder === undefined ? { skill: key } : { path: folder }) };
  if (sourceType === 'local') return { kind: 'local', type: 'local', url: lock.toAbsolute(source), skill: key };
  const address = sourceType === 'github' ? source : (sourceUrl ?? source);
  if (sourceType === 'github' || sourceType === 'gitlab' || sourceType === 'git') {
    const parsed = parseSource(sourceType === 'git' && address.startsWith('/') ? `file://${address}` : address, '/');
    if (parsed.kind !== 'git') throw new SkillError(`${address} of ${key} is no repository`, `Add ${key} again.`);
    if (folder?.split('/').includes('..')) throw new SkillError(`The path of ${key} leads out`, `Add ${key} again.`);
    return { ...parsed, type: sourceType, ...where };
  }
  if (sourceType === 'well-known' || sourceType === 'download') {
    // The registry may be a fleet without TLS; a fetch from there is only allowed if it is the one in use.
    if (entry.registry && address.startsWith(`${entry.registry}/`))
      return { kind: 'web', type: sourceType, url: address };
    const base = (entry.sourceBaseUrl as string | undefined) ?? address;
    const parsed = parseSource(base.replace(/\/\.well-known\/.*$/, ''), '/');
    return parsed.kind === 'web' ? { ...parsed, skill: key } : undefined;
  }
  return undefined;
}
