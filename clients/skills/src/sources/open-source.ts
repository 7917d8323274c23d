import type { SkillContent } from '../content/skill-content.ts';
import { type FoundSkill, findSkills, loadSkill, type SkillTree } from '../content/skill-tree.ts';
import { GitMissingError, openRepository } from './git-repository.ts';
import { openGitHubTree } from './github-tree.ts';
import { openLocalFolder } from './local-folder.ts';
import type { SkillSource } from './skill-source.ts';
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
  /** The id of a skill's folder in Git, if it is a repository. */
  treeId(skill: FoundSkill): string | undefined;
  /** The digest that lock files have of a skill from an index; undefined if it is from elsewhere. */
  wellKnownDigest(skill: FoundSkill, content: SkillContent): string | undefined;
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
      treeId: ({ folder }) => tree.treeId?.(folder),
      wellKnownDigest: () => undefined,
      close,
    };
  } catch (error) {
    close();
    throw error;
  }
}

/** Opens a repository or a local folder. With `trees`, repositories stay open. @throws SkillError */
export async function openTree(
  source: SkillSource,
  options: SourceOptions,
): Promise<{ tree: SkillTree; close: () => void }> {
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

async function openWeb(source: SkillSource, options: SourceOptions): Promise<OpenedSource> {
  const { url } = source;
  const { type, skills } = await openWebSource(url, options);
  return {
    source: { ...source, type },
    skills,
    load: (skill) => loadWebSkill(skill as WebSkill, options),
    treeId: () => undefined,
    wellKnownDigest: (skill, content) =>
      type === 'well-known' ? wellKnownDigest(skill as WebSkill, content) : undefined,
    close: () => {},
  };
}
