import { createHash } from 'node:crypto';
import { mkdir, readdir, rm, stat, utimes } from 'node:fs/promises';
import { join } from 'node:path';
import { limitSize, sizeOf } from '@agent-fleet/skills/folder-size';
import { bareEnvironment, GitError, isRef, userEnvironment } from '@agent-fleet/skills/git-command';
import { TaskError } from '../errors.ts';
import { runGit } from './git.ts';
import type { RepositoryUrl } from './repository-url.ts';

/** Folders of attempts that ended without removing them. */
const MAX_SCRATCH_AGE_MS = 3_600_000;
const SCRATCH = 'changes-';
export const COMMIT = /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/;

/** What another attempt cannot mend: the address, the ref or the credentials. */
const FINAL = new RegExp(
  [
    "couldn't find remote ref|not our ref|unadvertised object|invalid refspec|bad object|not a valid|fsck",
    'not found|does not exist|does not appear to be|redirect|not allowed|is not installed',
    'could not read (?:username|password)|authentication failed|permission denied|host key verification',
    'returned error: 4(?!08|29)\\d\\d',
  ].join('|'),
  'i',
);

export interface FetchOptions {
  url: RepositoryUrl;
  /** A branch, a tag or a whole commit. Default: what HEAD of the repository is. */
  ref: string | undefined;
  cache: string;
  maxBytes: number;
  env: NodeJS.ProcessEnv;
  signal: AbortSignal;
}

/** Names of this process's refs: other processes may fetch into the same cache. */
const OWN_REFS = `refs/fleet/${process.pid}-${Date.now().toString(36)}`;
/** Ends of the fetches that run, by folder: the attempts of a worker share them. */
const fetches = new Map<string, Promise<unknown>>();
/** Folders that attempts of this process use, with their number. */
const used = new Map<string, number>();

/** The bare copy of a repository. */
export function cachedCopy(cache: string, url: RepositoryUrl): string {
  return join(cache, createHash('sha256').update(url.text).digest('hex'));
}

/** Brings a commit, with its history, into the bare copy of a repository in the cache. @throws TaskError */
export async function fetchCommit(options: FetchOptions): Promise<{ gitDir: string; commit: string }> {
  const gitDir = cachedCopy(options.cache, options.url);
  const before = fetches.get(gitDir) ?? Promise.resolve();
  const own = before.then(() => fetchInto(gitDir, options));
  const settled = own.catch(() => {});
  fetches.set(gitDir, settled);
  try {
    return { gitDir, commit: await orAborted(own, options.signal) };
  } finally {
    if (fetches.get(gitDir) === settled) fetches.delete(gitDir);
  }
}

/** A fetch of another attempt may take long; one that is cancelled does not wait for its turn. */
async function orAborted<Value>(value: Promise<Value>, signal: AbortSignal): Promise<Value> {
  const done = new AbortController();
  const aborted = new Promise<never>((_resolve, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason), { signal: done.signal });
  });
  try {
    return await Promise.race([value, aborted]);
  } finally {
    done.abort();
  }
}

async function fetchInto(gitDir: string, options: FetchOptions): Promise<string> {
  const { url, ref = 'HEAD', env, signal, maxBytes } = options;
  if (!isRef(ref)) {
    throw workspaceFailed(`${JSON.stringify(ref.slice(0, 100))} is not a branch, a tag or a commit`, false);
  }
  const bare = bareEnvironment(env);
  await mkdir(options.cache, { recursive: true, mode: 0o700 });
  const isNew = (await stat(gitDir).catch(() => undefined)) === undefined;
  await runGit(['init', '--quiet', '--bare', '--template=', '--', gitDir], { env: bare, signal });
  const now = new Date();
  await utimes(gitDir, now, now);
  const name = `${OWN_REFS}/${createHash('sha256').update(ref).digest('hex').slice(0, 32)}`;
  const resolve = async (revision: string) => {
    const args = ['--git-dir', gitDir, 'rev-parse', '--verify', '--quiet', '--end-of-options', `${revision}^{commit}`];
    return (await runGit(args, { env: bare, signal })).toString().trim();
  };
  if (COMMIT.test(ref)) {
    const known = await resolve(ref).catch(() => undefined);
    if (known !== undefined) return known;
  }
  const size = limitSize(gitDir, maxBytes, signal);
  try {
    const flags = ['--quiet', '--force', '--no-tags', '--no-write-fetch-head', '--no-auto-maintenance'];
    const args = ['--git-dir', gitDir, 'fetch', ...flags, '--no-recurse-submodules', '--', url.text, `+${ref}:${name}`];
    await runGit(args, { env: userEnvironment(env, [url.scheme]), signal: size.signal });
    size.signal.throwIfAborted();
    await size.check();
    return await resolve(name);
  } catch (error) {
    if (!size.isOver()) throw error;
    if (used.has(gitDir)) throw workspaceFailed('The copy of the repository is full, and other attempts need it', true);
    await rm(gitDir, { recursive: true, force: true });
    if (isNew) throw tooLarge(maxBytes);
  } finally {
    size.stop();
  }
  // Without what earlier fetches have left.
  return fetchInto(gitDir, options);
}

export const tooLarge = (maxBytes: number): TaskError =>
  workspaceFailed(`The repository has more than ${Math.floor(maxBytes / 1024 / 1024)} MiB, or too many files`, false);

export function workspaceFailed(message: string, retryable: boolean, cause?: unknown): TaskError {
  return new TaskError(message, { code: 'workspace_failed', retryable, cause });
}

/** As a TaskError, final when no other attempt can help. */
export function toTaskError(error: unknown): unknown {
  if (!(error instanceof GitError)) return error;
  return workspaceFailed(`The repository cannot be cloned: ${error.message}`, !FINAL.test(error.message), error);
}

/** Keeps a folder of the cache from being swept until the returned function is called. */
export function useRepository(gitDir: string): () => void {
  used.set(gitDir, (used.get(gitDir) ?? 0) + 1);
  return () => {
    const rest = (used.get(gitDir) ?? 1) - 1;
    if (rest > 0) used.set(gitDir, rest);
    else used.delete(gitDir);
  };
}

export interface CacheLimits {
  /** Bytes of all repositories together. */
  maxBytes: number;
  /** Since a repository was last fetched. */
  maxAgeMs: number;
}

/** Removes repositories that were not used for long, and the ones used least recently while all are over the size. */
export async function sweepCache(cache: string, { maxBytes, maxAgeMs }: CacheLimits): Promise<void> {
  const now = Date.now();
  const names = await readdir(cache).catch(() => []);
  const found = await Promise.all(
    names.map(async (name) => {
      const path = join(cache, name);
      const usedAt = (await stat(path).catch(() => undefined))?.mtimeMs ?? now;
      return { path, age: now - usedAt, isScratch: name.startsWith(SCRATCH), size: await sizeOf(path) };
    }),
  );
  let left = maxBytes;
  for (const { path, age, isScratch, size } of found.sort((a, b) => a.age - b.age)) {
    left -= size;
    const isOld = age > (isScratch ? MAX_SCRATCH_AGE_MS : maxAgeMs);
    if (used.has(path) || fetches.has(path) || !(isOld || (left < 0 && !isScratch))) continue;
    left += size;
    await rm(path, { recursive: true, force: true });
  }
}

/** The beginning of the name of a folder for one call of `changes`. */
export const scratchPrefix = (cache: string): string => join(cache, SCRATCH);
