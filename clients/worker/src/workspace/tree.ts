import { posix } from 'node:path';
import { runGit } from './git.ts';

/** A file, link or submodule of a commit. Paths are bytes, kept as latin1. */
export interface TreeEntry {
  path: string;
  mode: string;
  id: string;
  /** Bytes; 0 for a submodule. */
  size: number;
}

export const LINK = '120000';
export const SUBMODULE = '160000';

/** More files, or more bytes of them, are not checked out: a pack of some kilobytes can hold any number of both. */
export const MAX_FILES = 200_000;
const MAX_LINKS = 10_000;
const MAX_LINK_BYTES = 4096;
const MAX_LIST_BYTES = 64 * 1024 * 1024;

export interface Repository {
  gitDir: string;
  env: NodeJS.ProcessEnv;
}

/** All entries of a commit; undefined when there are more than MAX_FILES. */
export async function listTree({ gitDir, env }: Repository, commit: string, signal: AbortSignal) {
  const args = ['--git-dir', gitDir, 'ls-tree', '-r', '-l', '-z', '--full-tree', commit];
  const output = await runGit(args, { env, signal, cutAt: MAX_LIST_BYTES });
  const entries = splitNul(output).map(toEntry);
  return output.length >= MAX_LIST_BYTES || entries.length > MAX_FILES ? undefined : entries;
}

/** Texts of output that ends each with a NUL. */
export const splitNul = (output: Buffer): string[] => output.toString('latin1').split('\0').slice(0, -1);

function toEntry(line: string): TreeEntry {
  const tab = line.indexOf('\t');
  const [mode = '', , id = '', size = ''] = line.slice(0, tab).split(/ +/);
  return { path: line.slice(tab + 1), mode, id, size: size === '-' ? 0 : Number(size) };
}

/**
 * Whether each link of a commit leads to a place inside of it, whatever the other links are. So a target has `..` at
 * its beginning only, no more of them than the link is deep, and names nothing of Git.
 */
export async function hasSafeLinks(repository: Repository, entries: readonly TreeEntry[], signal: AbortSignal) {
  const links = entries.filter(({ mode }) => mode === LINK);
  if (links.length > MAX_LINKS || links.some(({ size }) => size > MAX_LINK_BYTES)) return false;
  if (links.length === 0) return true;
  const { gitDir, env } = repository;
  const input = links.map(({ id }) => `${id}\n`).join('');
  const output = await runGit(['--git-dir', gitDir, 'cat-file', '--batch'], { env, signal, input });
  let at = 0;
  return links.every(({ path, size }) => {
    at = output.indexOf('\n', at) + 1;
    const target = output.subarray(at, at + size).toString('latin1');
    at += size + 1;
    return isInside(path, target);
  });
}

function isInside(path: string, target: string): boolean {
  if (target === '' || target.startsWith('/') || target.includes('\\') || target.includes('\0')) return false;
  const names = target.split('/').filter((name) => name !== '' && name !== '.');
  const ups = names.findIndex((name) => name !== '..');
  const depth = posix.dirname(path) === '.' ? 0 : posix.dirname(path).split('/').length;
  if ((ups < 0 ? names.length : ups) > depth) return false;
  const downs = ups < 0 ? [] : names.slice(ups);
  return downs.every((name) => name !== '..' && !/^\.git$/i.test(name));
}
