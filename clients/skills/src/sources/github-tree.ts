import { createHash } from 'node:crypto';
import { MAX_BYTES, tooLarge } from '../content/entries.ts';
import type { SkillTree } from '../content/skill-tree.ts';
import { SkillError } from '../skill-error.ts';
import { findSkillFiles, listEntries, type RepositoryAddress, type TreeEntry } from './git-repository.ts';
import { type FetchOptions, fetchBytes } from './web-fetch.ts';

const MAX_TREE_BYTES = 32 * 1024 * 1024;
const FETCHES_AT_ONCE = 8;

/** GitHub's API and the host of raw files. */
interface GitHubHosts {
  api: string;
  raw: string;
}

const GITHUB_HOSTS: GitHubHosts = { api: 'https://api.github.com', raw: 'https://raw.githubusercontent.com' };

interface ApiTree {
  sha: string;
  truncated: boolean;
  tree: { path: string; mode: string; sha: string; size?: number }[];
}

/** A repository on GitHub, for machines without Git: its tree from the API, and the contents that are read. */
export async function openGitHubTree(
  { url, ref = 'HEAD' }: RepositoryAddress,
  options: FetchOptions,
  hosts = GITHUB_HOSTS,
): Promise<SkillTree> {
  const repository = new URL(url).pathname.replace(/^\/|\.git$/g, '');
  const headers = { accept: 'application/vnd.github.sha' };
  const commit = (
    await fetchBytes(`${hosts.api}/repos/${repository}/commits/${encodeURIComponent(ref)}`, { ...options, headers })
  ).toString();
  if (!/^[0-9a-f]{40}$/.test(commit)) throw new SkillError(`GitHub has no commit for ${ref}`, 'Install Git.');
  const body = await fetchBytes(`${hosts.api}/repos/${repository}/git/trees/${commit}?recursive=1`, {
    ...options,
    maxBytes: MAX_TREE_BYTES,
  });
  const { sha, truncated, tree } = JSON.parse(body.toString()) as ApiTree;
  if (truncated) throw new SkillError('GitHub does not list the whole repository: it is too large', 'Install Git.');
  const entries: TreeEntry[] = tree.map((entry) => ({ mode: entry.mode, id: entry.sha, path: entry.path }));
  const byPath = new Map(tree.map((entry) => [entry.path, entry]));
  const readOne = async (path: string): Promise<Buffer> => {
    const entry = byPath.get(path);
    if (!entry) throw new SkillError(`GitHub does not list ${path}`, 'Try again.');
    const address = `${hosts.raw}/${repository}/${commit}/${path.split('/').map(encodeURIComponent).join('/')}`;
    const bytes = await fetchBytes(address, options);
    if (gitId(bytes) !== entry.sha) throw new SkillError(`GitHub sent another content for ${path}`, 'Try again.');
    return bytes;
  };
  return {
    commit,
    findSkillFiles: async (folder) => findSkillFiles(entries, folder),
    list: async (folder) => listEntries(entries, folder),
    treeId: (folder) => (folder === '' ? sha : byPath.get(folder)?.sha),
    read: async (folder, paths) => {
      const whole = paths.map((path) => (folder === '' ? path : `${folder}/${path}`));
      if (whole.reduce((sum, path) => sum + (byPath.get(path)?.size ?? 0), 0) > MAX_BYTES) throw tooLarge();
      const contents = new Map<string, Buffer>();
      for (let at = 0; at < whole.length; at += FETCHES_AT_ONCE) {
        const some = await Promise.all(whole.slice(at, at + FETCHES_AT_ONCE).map(readOne));
        for (const [index, bytes] of some.entries()) contents.set(paths[at + index] as string, bytes);
      }
      return contents;
    },
    close: () => {},
  };
}

/** The id that Git gives a content. */
function gitId(bytes: Buffer): string {
  return createHash('sha1').update(`blob ${bytes.length}\0`).update(bytes).digest('hex');
}
