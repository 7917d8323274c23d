import { lstat, mkdir, realpath } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { bareEnvironment } from '@agent-fleet/skills/git-command';
import { messageOf } from '../errors.ts';
import { type Changes, readChanges } from './changes.ts';
import { runGit } from './git.ts';
import {
  COMMIT,
  cachedCopy,
  fetchCommit,
  tooLarge,
  toTaskError,
  useRepository,
  workspaceFailed,
} from './repository-cache.ts';
import { isAllowed, parseRepositoryUrl, type RepositoryUrl } from './repository-url.ts';
import { hasSafeLinks, listTree } from './tree.ts';

const PREPARE_MS = 600_000;
const CHANGES_MS = 60_000;
const MAX_REPOSITORY_BYTES = 2 * 1024 ** 3;
/** Enough of the history to read what happened lately, without a copy of all of it for each attempt. */
const DEPTH = 50;

interface WorkspaceOptions {
  /** As the task has it. Without a ref it is the repository's own default branch. */
  workspace: { repository: string; ref?: string | null };
  /** Empty, or to be created. */
  folder: string;
  /** Folder of the copies that attempts share. Agents have no business in it. */
  cache: string;
  /** Prefixes of repositories that may be cloned: none when it is empty. */
  allowed: readonly string[];
  /** The environment of the worker, in which Git finds its user's credentials. */
  env: NodeJS.ProcessEnv;
  signal: AbortSignal;
  /** Of the repository, and of the files of the commit. Default: 2 GiB. */
  maxBytes?: number;
}

/** What is remembered of the clone that an agent works in, to tell later what was changed. */
export interface Clone {
  repository: string;
  /** The commit. */
  base: string;
  /** Whether it has the links of the repository as links. */
  hasLinks: boolean;
  /** The folder, without links in its path. */
  place: string;
}

/** Whether this may be what `prepareWorkspace` returned; it was read from a file that an agent can write. */
export function isClone(value: Partial<Clone> | null): value is Clone {
  return (
    typeof value?.repository === 'string' &&
    typeof value.base === 'string' &&
    COMMIT.test(value.base) &&
    typeof value.hasLinks === 'boolean' &&
    typeof value.place === 'string'
  );
}

/**
 * Clones a repository for one attempt: from a copy in the cache, with objects, configuration and hooks of its own.
 *
 * Links that leave the tree, or could with the help of others, are not made: then all links of the clone are files with
 * the target as their text (`core.symlinks=false`), as on systems without links. An agent has the rights of its user
 * anyway; but what reads the workspace for it, and checks paths by their names, does not follow the repository out.
 * Submodules stay empty folders, and LFS files stay pointers: both would fetch from elsewhere.
 *
 * @throws TaskError `workspace_failed`, final for a repository, ref or credentials that are refused
 */
export async function prepareWorkspace(options: WorkspaceOptions): Promise<Clone> {
  const { workspace, folder, cache, maxBytes = MAX_REPOSITORY_BYTES } = options;
  const url = checkAllowed(workspace.repository, options.allowed);
  const ref = workspace.ref ?? undefined;
  const env = bareEnvironment(options.env);
  const timeout = AbortSignal.timeout(PREPARE_MS);
  const signal = AbortSignal.any([options.signal, timeout]);
  try {
    const { gitDir, commit } = await fetchCommit({ url, ref, cache, maxBytes, env: options.env, signal });
    const release = useRepository(gitDir);
    try {
      const repository = { gitDir, env };
      const entries = await listTree(repository, commit, signal);
      const bytes = entries?.reduce((sum, { size }) => sum + size, 0) ?? Number.POSITIVE_INFINITY;
      if (entries === undefined || bytes > maxBytes) throw tooLarge(maxBytes);
      const hasLinks = await hasSafeLinks(repository, entries, signal);
      await checkOut({ folder, gitDir, commit, url, branch: branchOf(ref), hasLinks, env, signal });
      return { repository: workspace.repository, base: commit, hasLinks, place: await realpath(folder) };
    } finally {
      release();
    }
  } catch (error) {
    options.signal.throwIfAborted();
    if (timeout.aborted) throw workspaceFailed(`The clone took more than ${PREPARE_MS / 1000} s`, true, error);
    throw toTaskError(error);
  }
}

/** Keeps what `changesOf` needs of the cache from being deleted until the returned function is called. */
export function keepCopy({ repository }: Clone, cache: string): () => void {
  return useRepository(cachedCopy(cache, parseRepositoryUrl(repository)));
}

/**
 * What was changed since the clone, read without running anything of the workspace. Takes 60 s at most.
 * @throws TaskError `workspace_failed`, also when the copy in the cache is gone
 */
export async function changesOf(
  { repository, base, hasLinks, place }: Clone,
  { folder, cache, env, signal }: Pick<WorkspaceOptions, 'folder' | 'cache' | 'env' | 'signal'>,
): Promise<Changes> {
  const isSame = (await realpath(folder).catch(() => undefined)) === place;
  if (!isSame) throw workspaceFailed('The workspace is gone, or leads elsewhere', false);
  const gitDir = cachedCopy(cache, parseRepositoryUrl(repository));
  const inner = AbortSignal.any([signal, AbortSignal.timeout(CHANGES_MS)]);
  return readChanges({ gitDir, env: bareEnvironment(env), cache, folder, base, hasLinks, signal: inner });
}

function checkAllowed(repository: string, allowed: readonly string[]): RepositoryUrl {
  const shown = JSON.stringify(repository.slice(0, 200).replace(/\/\/[^/@\s]+@/, '//'));
  try {
    const url = parseRepositoryUrl(repository);
    if (isAllowed(url, allowed.map(parseRepositoryUrl))) return url;
  } catch (error) {
    throw workspaceFailed(`The repository ${shown} is refused: ${messageOf(error)}`, false);
  }
  throw workspaceFailed(`This worker may not clone ${shown}: no --repository of it allows that`, false);
}

interface CheckOut {
  folder: string;
  gitDir: string;
  commit: string;
  url: RepositoryUrl;
  branch: string;
  hasLinks: boolean;
  env: NodeJS.ProcessEnv;
  signal: AbortSignal;
}

/** Makes the clone over Git's own transport, which copies the objects: nothing in it is shared with the cache. */
async function checkOut({ folder, gitDir, commit, url, branch, hasLinks, env, signal }: CheckOut): Promise<void> {
  await mkdir(dirname(folder), { recursive: true });
  const exists = await lstat(join(folder, '.git')).catch(() => undefined);
  if (exists) throw workspaceFailed('The folder of the workspace has a repository already', true);
  const git = (...args: string[]) =>
    runGit(['--git-dir', join(folder, '.git'), '--work-tree', folder, ...args], { env, signal });
  await runGit(['init', '--quiet', '--template=', `--initial-branch=${branch}`, '--', folder], { env, signal });
  await git('config', 'core.symlinks', String(hasLinks));
  await git('config', 'remote.origin.url', url.text);
  await git('config', 'remote.origin.fetch', '+refs/heads/*:refs/remotes/origin/*');
  const flags = ['--quiet', `--depth=${DEPTH}`, '--no-tags', '--no-write-fetch-head'];
  await git('fetch', ...flags, '--', pathToFileURL(gitDir).href, `+${commit}:refs/remotes/origin/${branch}`);
  await git('update-ref', `refs/heads/${branch}`, commit);
  await git('reset', '--quiet', '--hard');
}

/** The name of the ref, where it is a usual one. */
function branchOf(ref: string | undefined): string {
  const name = ref?.replace(/^refs\/(?:heads|tags)\//, '') ?? '';
  const isUsual =
    /^[A-Za-z0-9][A-Za-z0-9_./-]{0,200}$/.test(name) && !/^[0-9a-f]{40,64}$|^HEAD$|^refs\/|\.lock\//.test(name);
  return isUsual ? name : 'task';
}
