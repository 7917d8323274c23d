import { SkillError, usageError } from '../skill-error.ts';
import type { ListedEntry } from './entries.ts';
import { checkSkillFile } from './front-matter.ts';
import { readSkillContent, readSkillFolder, SKILL_FILE, type SkillContent, type SkillFolder } from './skill-content.ts';

/** The most skills of a repository that are looked at. */
export const MAX_SKILLS = 2_000;
export const MAX_DEPTH = 6;
const READ_AT_ONCE = 250;
const MAX_NAMED = 50;
export const SKIPPED_FOLDERS: ReadonlySet<string> = new Set(['node_modules', '.git', 'dist', 'build', '__pycache__']);

/** A repository or folder at one moment. Paths are relative to it; '' is the whole. */
export interface SkillTree {
  /** Commit, if it is a repository. */
  readonly commit?: string;
  /** Paths of files and links named SKILL.md below a folder, at most `MAX_DEPTH` deep and `MAX_SKILLS`. */
  findSkillFiles(folder: string): Promise<string[]>;
  /** Everything below a folder, with paths relative to it; undefined if there is no such folder. */
  list(folder: string): Promise<ListedEntry[] | undefined>;
  /** Contents of files and targets of links, by the paths that `list` gave. */
  read(folder: string, paths: readonly string[]): Promise<Map<string, Buffer>>;
  /** The id of a folder in Git, if it is a repository. */
  treeId?(folder: string): string | undefined;
  close(): void;
}

/** A skill in a tree. */
export interface FoundSkill {
  name: string;
  folder: string;
  description: string;
  /** Why its SKILL.md cannot be read, with file and line; it has the name of its folder then. */
  problem?: string;
}

export function isReadable({ problem }: FoundSkill): boolean {
  return problem === undefined;
}

/** Folders that mostly have a repository's own skills come first, copies for an agent last. */
function rank(folder: string): number {
  if (/^(?:skills(?:\/\.(?:curated|experimental|system))?\/)?[^./][^/]*$/.test(folder)) return 0;
  return folder.startsWith('.') ? 2 : 1;
}

/** The skills below a folder, of each name the first; then what cannot be read. Its own SKILL.md is the only one. */
export async function findSkills(tree: SkillTree, below: string): Promise<FoundSkill[]> {
  const paths = await tree.findSkillFiles(below);
  const own = below === '' ? SKILL_FILE : `${below}/${SKILL_FILE}`;
  const chosen = paths.includes(own) ? [own] : paths;
  const contents = new Map<string, Buffer>();
  for (let at = 0; at < chosen.length; at += READ_AT_ONCE) {
    for (const [path, bytes] of await tree.read('', chosen.slice(at, at + READ_AT_ONCE))) contents.set(path, bytes);
  }
  const found = new Map<string, FoundSkill>();
  const unreadable: FoundSkill[] = [];
  const folders = chosen.map((path) => ({ path, folder: path.slice(0, -SKILL_FILE.length).replace(/\/$/, '') }));
  const within = (folder: string) => (below === '' ? folder : folder.slice(below.length + 1));
  folders.sort((a, b) => rank(within(a.folder)) - rank(within(b.folder)) || (a.path < b.path ? -1 : 1));
  for (const { path, folder } of folders) {
    const { frontMatter, issues } = checkSkillFile(contents.get(path) ?? Buffer.alloc(0), path);
    if (!frontMatter) unreadable.push({ name: nameOf(folder), folder, description: '', problem: issues.join('; ') });
    else if (!found.has(frontMatter.name))
      found.set(frontMatter.name, { name: frontMatter.name, folder, description: frontMatter.description });
  }
  return [...found.values(), ...unreadable];
}

function nameOf(folder: string): string {
  return folder.split('/').at(-1) ?? '';
}

/** The only skill, or the one with this name or in a folder of this name. Loading one says why it cannot be read. */
export function pickSkill(skills: readonly FoundSkill[], name: string | undefined): FoundSkill | undefined {
  const readable = skills.filter(isReadable);
  if (name === undefined) return [readable, skills].find(({ length }) => length === 1)?.[0];
  const wanted = name.toLowerCase();
  return (
    readable.find((skill) => skill.name.toLowerCase() === wanted) ??
    skills.find(({ folder }) => nameOf(folder).toLowerCase() === wanted)
  );
}

/** Why some of them cannot be read, of the first fifty. */
export function problemsOf(skills: readonly FoundSkill[]): string[] {
  return skills.flatMap(({ problem }) => problem ?? []).slice(0, MAX_NAMED);
}

/** A source, or a folder of it, has no skill at all. */
export class NoSkillError extends SkillError {}

/** The error that names the skills there are. `toSource` is what the user types for one of them. */
export function noSuchSkill(
  found: readonly FoundSkill[],
  name: string | undefined,
  source: string,
  toSource: (skill: FoundSkill) => string,
): SkillError {
  const skills = found.filter(isReadable);
  const [first] = skills;
  const problems = problemsOf(found);
  if (!first && problems.length > 0)
    return new NoSkillError(`${source} has no skill that can be read`, problems.join('\n'));
  if (!first) return new NoSkillError(`${source} has no skill`, 'Name another folder or repository.');
  const names = skills.slice(0, MAX_NAMED).map((skill) => skill.name);
  const more = skills.length > MAX_NAMED ? ` and ${skills.length - MAX_NAMED} more` : '';
  const hint = `Name one, for example ${toSource(first)}. It has ${names.join(', ')}${more}.`;
  return usageError(
    name === undefined ? `${source} has ${skills.length} skills` : `${source} has no skill ${name}`,
    hint,
  );
}

/** @throws SkillError if the folder is missing or refused, or if its SKILL.md is against the specification */
export async function loadSkill(tree: SkillTree, folder: string): Promise<SkillContent> {
  const file = folder === '' ? SKILL_FILE : `${folder}/${SKILL_FILE}`;
  return readSkillContent(await requireFolder(tree, folder), (paths) => tree.read(folder, paths), file);
}

/** @throws SkillError if the folder is missing or refused */
export async function loadFolder(tree: SkillTree, folder: string): Promise<SkillFolder> {
  return readSkillFolder(await requireFolder(tree, folder), (paths) => tree.read(folder, paths));
}

async function requireFolder(tree: SkillTree, folder: string): Promise<ListedEntry[]> {
  const listed = await tree.list(folder);
  if (listed === undefined) throw new SkillError(`There is no folder ${folder || '.'}`, 'Name another folder.');
  return listed;
}
