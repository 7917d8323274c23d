import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type ListedEntry, MAX_BYTES, MAX_FILES, refused, tooLarge, tooManyFiles } from '../content/entries.ts';
import { SKILL_FILE } from '../content/skill-content.ts';
import { MAX_DEPTH, MAX_SKILLS, SKIPPED_FOLDERS, type SkillTree } from '../content/skill-tree.ts';
import { limitSize } from '../folder-size.ts';
import { GitError, isRef, runGit, userEnvironment } from '../git-command.ts';
import { SkillError, usageError } from '../skill-error.ts';

const DEADLINE_MS = 120_000;
/** Of what is fetched, compressed, trees included. */
const MAX_FETCHED_BYTES = 128 * 1024 * 1024;
const MAX_ENTRIES = 400_000;
const SETTINGS: readonly string[] = ['core.bigFileThreshold=1m', 'fetch.negotiationAlgorithm=noop'];

export interface RepositoryAddress {
  url: string;
  /** Branch, tag or commit; default the branch of HEAD. */
  ref?: string;
}

export interface OpenOptions {
  env: NodeJS.ProcessEnv;
  signal?: AbortSignal;
}

/** An entry of `git ls-tree`. */
export interface TreeEntry {
  mode: string;
  id: string;
  path: string;
}

/**
 * Fetches one commit without its history, and only the contents that are read. Nothing is checked out.
 * @throws SkillError; `GitMissingError` if there is no Git
 */
export async function openRepository({ url, ref }: RepositoryAddress, options: OpenOptions): Promise<SkillTree> {
  const folder = mkdtempSync(join(tmpdir(), 'fleet-skills-'));
  const close = () => rmSync(folder, { recursive: true, force: true });
  const git = createGit(folder, url, options);
  try {
    await git('init', '--quiet', '--bare', '--template=', '.');
    await git('config', 'remote.origin.url', url);
    const fetch = ['fetch', '--quiet', '--depth=1', '--filter=blob:none', '--no-tags', '--no-recurse-submodules'];
    await git(...fetch, '--end-of-options', 'origin', requireRef(ref ?? 'HEAD'));
    const commit = (await git('rev-parse', '--verify', '--quiet', 'FETCH_HEAD^{commit}')).toString().trim();
    const entries = parseEntries(await git('ls-tree', '-r', '-t', '-z', '--full-tree', commit));
    const missing = await listMissing(git, commit);
    const root = (await git('rev-parse', `${commit}^{tree}`)).toString().trim();
    return new Repository(commit, root, entries, git, missing, close);
  } catch (error) {
    close();
    throw error;
  }
}

type Git = ((...args: string[]) => Promise<Buffer>) & { fed: (input: string, ...args: string[]) => Promise<Buffer> };

function createGit(folder: string, url: string, { env, signal }: OpenOptions): Git {
  const deadline = AbortSignal.timeout(DEADLINE_MS);
  const either = signal ? AbortSignal.any([deadline, signal]) : deadline;
  const options = { folder, env: { ...userEnvironment(env, protocolsFor(url)), GIT_DIR: folder }, settings: SETTINGS };
  const run = async (args: readonly string[], input?: string): Promise<Buffer> => {
    const size = limitSize(folder, MAX_FETCHED_BYTES, either);
    try {
      return await runGit(args, { ...options, signal: size.signal, input });
    } catch (error) {
      if (size.isOver()) throw tooLarge();
      if (!deadline.aborted) throw error instanceof GitError ? toSkillError(error) : error;
      throw new SkillError(`The repository was not fetched in ${DEADLINE_MS / 1_000} s`, 'Try again later.');
    } finally {
      size.stop();
    }
  };
  return Object.assign((...args: string[]) => run(args), {
    fed: (input: string, ...args: string[]) => run(args, input),
  });
}

export class GitMissingError extends SkillError {
  constructor() {
    super('Git is not installed', 'Install Git; only repositories on GitHub can be read without it.');
  }
}

function toSkillError({ message, kind }: GitError): SkillError {
  if (kind === 'missing') return new GitMissingError();
  if (kind === 'too-long') return new SkillError('The repository is too large to be listed', 'Clone it yourself.');
  return new SkillError(`Git cannot fetch the repository: ${message}`, hintFor(message));
}

function hintFor(message: string): string {
  if (/couldn't find remote ref|not our ref|bad object|no such remote ref/i.test(message)) {
    return 'Name a branch, a tag or a whole commit of the repository: <source>#<ref>.';
  }
  if (
    /could not read username|authentication failed|permission denied|terminal prompts disabled|403|401/i.test(message)
  ) {
    return 'If the repository is private, set up a credential helper of Git or an SSH key; prompts are off here.';
  }
  if (/not found|does not exist|does not appear to be/i.test(message)) return 'Check the name of the repository.';
  return 'Check the address and your connection, and try again.';
}

/** A URL may be rewritten from https to SSH by the user's configuration, but to nothing else. */
function protocolsFor(url: string): string[] {
  if (url.startsWith('file:')) return ['file'];
  return url.startsWith('http:') ? ['http'] : ['https', 'ssh'];
}

/** @throws SkillError for a ref that is none, such as an option or a refspec */
export function requireRef(ref: string): string {
  if (!isRef(ref)) throw usageError(`${JSON.stringify(ref)} is not a branch, tag or commit`, 'Name one after the #.');
  return ref;
}

/** @throws SkillError for names that are not UTF-8 */
function parseEntries(output: Buffer): TreeEntry[] {
  let text: string;
  try {
    text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(output);
  } catch {
    text = output.toString('utf8');
  }
  const lines = text.split('\0');
  if (lines.length > MAX_ENTRIES) throw new SkillError('The repository has too many files', 'Clone it yourself.');
  return lines.filter(Boolean).map((line) => {
    const tab = line.indexOf('\t');
    const [mode = '', , id = ''] = line.slice(0, tab).split(' ');
    return { mode, id, path: line.slice(tab + 1) };
  });
}

async function listMissing(git: Git, commit: string): Promise<Set<string>> {
  const lines = (await git('rev-list', '--objects', '--no-object-names', '--missing=print', commit)).toString('latin1');
  return new Set(lines.split('\n').flatMap((line) => (line.startsWith('?') ? [line.slice(1)] : [])));
}

class Repository implements SkillTree {
  readonly commit: string;
  readonly close: () => void;
  readonly #root: string;
  readonly #entries: readonly TreeEntry[];
  readonly #git: Git;
  readonly #missing: Set<string>;

  constructor(
    commit: string,
    root: string,
    entries: readonly TreeEntry[],
    git: Git,
    missing: Set<string>,
    close: () => void,
  ) {
    this.commit = commit;
    this.#root = root;
    this.#entries = entries;
    this.#git = git;
    this.#missing = missing;
    this.close = close;
  }

  async findSkillFiles(folder: string): Promise<string[]> {
    return findSkillFiles(this.#entries, folder);
  }

  async list(folder: string): Promise<ListedEntry[] | undefined> {
    return listEntries(this.#entries, folder);
  }

  treeId(folder: string): string | undefined {
    return folder === ''
      ? this.#root
      : this.#entries.find((entry) => entry.mode === '040000' && entry.path === folder)?.id;
  }

  async read(folder: string, paths: readonly string[]): Promise<Map<string, Buffer>> {
    const prefix = folder === '' ? '' : `${folder}/`;
    const wanted = new Map(paths.map((path) => [`${prefix}${path}`, path]));
    const entries = this.#entries.filter(({ path }) => wanted.has(path));
    const ids = [...new Set(entries.map(({ id }) => id))];
    await this.#fetch(ids.filter((id) => this.#missing.has(id)));
    const contents = await this.#readObjects(ids);
    return new Map(entries.map(({ path, id }) => [wanted.get(path) as string, contents.get(id) ?? Buffer.alloc(0)]));
  }

  async #fetch(ids: readonly string[]): Promise<void> {
    if (ids.length === 0) return;
    const options = ['--quiet', '--no-tags', '--no-write-fetch-head', '--no-recurse-submodules', '--filter=blob:none'];
    await this.#git.fed(`${ids.join('\n')}\n`, 'fetch', ...options, '--stdin', 'origin');
    for (const id of ids) this.#missing.delete(id);
  }

  /** Sizes are checked before anything is unpacked. */
  async #readObjects(ids: readonly string[]): Promise<Map<string, Buffer>> {
    if (ids.length === 0) return new Map();
    const input = `${ids.join('\n')}\n`;
    const sizes = (await this.#git.fed(input, 'cat-file', '--batch-check=%(objecttype) %(objectsize)')).toString();
    const total = sizes.split('\n').reduce((sum, line) => sum + Number(line.split(' ')[1] ?? 0), 0);
    if (!(total <= MAX_BYTES)) throw tooLarge();
    return parseObjects(await this.#git.fed(input, 'cat-file', '--batch'), ids);
  }
}

function parseObjects(output: Buffer, ids: readonly string[]): Map<string, Buffer> {
  const contents = new Map<string, Buffer>();
  let at = 0;
  for (const id of ids) {
    const end = output.indexOf(0x0a, at);
    const [found, type, size] = output.subarray(at, end).toString('latin1').split(' ');
    if (found !== id || type !== 'blob') throw new SkillError(`Git does not have the object ${id}`, 'Try again.');
    contents.set(id, output.subarray(end + 1, end + 1 + Number(size)));
    at = end + 2 + Number(size);
  }
  return contents;
}

export function findSkillFiles(entries: readonly TreeEntry[], folder: string): string[] {
  const prefix = folder === '' ? '' : `${folder}/`;
  const found = entries.filter(({ mode, path }) => {
    if (!/^1[02]0/.test(mode) || !path.startsWith(prefix)) return false;
    const names = path.slice(prefix.length).split('/');
    return names.pop() === SKILL_FILE && names.length <= MAX_DEPTH && !names.some((name) => SKIPPED_FOLDERS.has(name));
  });
  return found.slice(0, MAX_SKILLS).map(({ path }) => path);
}

export function listEntries(entries: readonly TreeEntry[], folder: string): ListedEntry[] | undefined {
  const prefix = folder === '' ? '' : `${folder}/`;
  const inside = entries.filter(({ mode, path }) => mode !== '040000' && path.startsWith(prefix));
  if (inside.length === 0) return undefined;
  if (inside.length > MAX_FILES) throw tooManyFiles();
  return inside.map(({ mode, path: whole }) => {
    const path = whole.slice(prefix.length);
    if (mode === '120000') return { path, type: 'link', executable: false };
    if (mode === '160000') throw refused(`${JSON.stringify(path)} is a submodule`);
    return { path, type: 'file', executable: mode === '100755' };
  });
}
