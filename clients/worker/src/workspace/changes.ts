import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { runGit } from './git.ts';
import { scratchPrefix, useRepository } from './repository-cache.ts';
import { listTree, MAX_FILES, SUBMODULE, splitNul, type TreeEntry } from './tree.ts';
import { forEachAtOnce, readHead, Worktree } from './worktree.ts';

const MAX_FILES_LISTED = 500;
const MAX_PATCH_BYTES = 256 * 1024;
const MAX_PATH_LIST_BYTES = 16 * 1024 * 1024;
/** More are left out, and flagged. */
const MAX_CHANGED_FILES = 20_000;

interface ChangedFile {
  path: string;
  status: 'added' | 'modified' | 'deleted';
  /** Lines; null for a binary file, or one that is too large. */
  added: number | null;
  removed: number | null;
}

/** What an agent changed. Ignored files are not part of it. */
export interface Changes {
  /** The commit of the clone. */
  base: string;
  /** The commit that the agent's HEAD names, whatever the workspace has beside it; the base if it names none. */
  head: string;
  /** Of the workspace against the base, at most 256 KiB of whole hunks. */
  patch: string;
  patch_truncated: boolean;
  /** At most 500. */
  files: ChangedFile[];
  files_truncated: boolean;
}

interface ChangesOptions {
  /** The copy in the cache, whose configuration is ours. */
  gitDir: string;
  env: NodeJS.ProcessEnv;
  cache: string;
  folder: string;
  base: string;
  hasLinks: boolean;
  signal: AbortSignal;
}

/**
 * Compares a workspace with its base. The agent can write all of `.git`, and so make Git run programs: filters,
 * drivers, hooks, a file system monitor, those of nested repositories. So Git reads our own copy and an index of ours,
 * in which we put what the files are; it never compares the files itself.
 */
export async function readChanges(options: ChangesOptions): Promise<Changes> {
  const release = useRepository(options.gitDir);
  const scratch = await mkdtemp(scratchPrefix(options.cache));
  try {
    return await compare(options, scratch);
  } finally {
    release();
    await rm(scratch, { recursive: true, force: true });
  }
}

async function compare(options: ChangesOptions, scratch: string): Promise<Changes> {
  const { base, folder, signal } = options;
  const objects = join(scratch, 'objects');
  const empty = join(scratch, 'empty');
  await Promise.all([mkdir(objects), mkdir(empty)]);
  const env = {
    ...options.env,
    GIT_DIR: options.gitDir,
    GIT_INDEX_FILE: join(scratch, 'index'),
    GIT_OBJECT_DIRECTORY: objects,
    GIT_ALTERNATE_OBJECT_DIRECTORIES: join(options.gitDir, 'objects'),
    GIT_WORK_TREE: empty,
  };
  const git = (args: readonly string[], more: { input?: string | Buffer; cutAt?: number } = {}) =>
    runGit(args, { env, signal, ...more });
  await git(['read-tree', base]);
  const entries = (await listTree(options, base, signal)) ?? [];
  const untracked = await listUntracked({ ...env, GIT_WORK_TREE: folder }, signal);
  const worktree = new Worktree(folder, objects, options.hasLinks);
  const scan = await scanWorktree(worktree, entries, untracked.paths, base.length, signal);
  await git(['update-index', '-z', '--add', '--replace', '--index-info'], { input: Buffer.from(scan.index, 'latin1') });

  const diff = ['diff-index', '--cached', '--no-renames', '--no-ext-diff', '--no-textconv', '--no-color'];
  const lists = await git([...diff, '--raw', '--numstat', '-z', base], { cutAt: MAX_PATH_LIST_BYTES });
  const patch = cutPatch(
    await git([...diff, '-p', '--full-index', base], { cutAt: MAX_PATCH_BYTES + 1 }),
    MAX_PATCH_BYTES,
  );
  const files = [...toFiles(lists), ...scan.large].sort((a, b) => (a.path < b.path ? -1 : 1));
  const isCut = scan.isCut || untracked.isCut;
  return {
    base,
    head: (await readHead(folder, base.length)) ?? base,
    patch: patch.text,
    patch_truncated: patch.isCut || isCut || scan.large.length > 0,
    files: files.slice(0, MAX_FILES_LISTED),
    files_truncated: isCut || files.length > MAX_FILES_LISTED || lists.length >= MAX_PATH_LIST_BYTES,
  };
}

/** Paths that are neither in the index nor ignored; a nested repository is named with a slash at its end. */
async function listUntracked(env: NodeJS.ProcessEnv, signal: AbortSignal) {
  const args = ['ls-files', '--others', '--exclude-standard', '-z'];
  const output = await runGit(args, { env, signal, cutAt: MAX_PATH_LIST_BYTES });
  return { paths: splitNul(output), isCut: output.length >= MAX_PATH_LIST_BYTES };
}

/** Reads all files, and tells what to change in an index of the base. */
async function scanWorktree(
  worktree: Worktree,
  entries: readonly TreeEntry[],
  untracked: readonly string[],
  idLength: number,
  signal: AbortSignal,
) {
  const deleted: string[] = [];
  const changed: string[] = [];
  const large: ChangedFile[] = [];
  let isCut = false;
  const added: string[] = [];
  for (const path of untracked) {
    if (!path.endsWith('/')) added.push(path);
    else if (!(await worktree.list(path.slice(0, -1), added, MAX_FILES))) isCut = true;
  }
  const read = async (path: string, before: TreeEntry | undefined) => {
    signal.throwIfAborted();
    if (changed.length >= MAX_CHANGED_FILES) {
      isCut = true;
      return;
    }
    const found = await worktree.read(path, before, idLength);
    if (found === undefined) {
      if (before) deleted.push(`0 ${'0'.repeat(idLength)}\t${path}\0`);
    } else if (found === 'large') {
      large.push({ path: toText(path), status: before ? 'modified' : 'added', added: null, removed: null });
    } else if (found === 'unreadable') isCut = true;
    else if (found.mode !== before?.mode || found.id !== before.id)
      changed.push(`${found.mode} ${found.id}\t${path}\0`);
  };
  const files = entries.filter(({ mode }) => mode !== SUBMODULE);
  await forEachAtOnce(files, (entry) => read(entry.path, entry));
  await forEachAtOnce(added, (path) => read(path, undefined));
  // A file may be where a folder was: deletions come first.
  return { index: deleted.concat(changed).join(''), large, isCut };
}

const STATUSES: Readonly<Record<string, ChangedFile['status']>> = { A: 'added', D: 'deleted' };

/** Reads `--raw --numstat -z`: first `:<modes and ids> <status>` and a path of each file, then its lines and path. */
function toFiles(output: Buffer): ChangedFile[] {
  const fields = splitNul(output);
  const files = new Map<string, ChangedFile>();
  for (let at = 0; at < fields.length; at++) {
    const field = fields[at] ?? '';
    if (field.startsWith(':')) {
      const path = fields[++at] ?? '';
      const status = STATUSES[field.at(-1) ?? ''] ?? 'modified';
      files.set(path, { path: toText(path), status, added: null, removed: null });
      continue;
    }
    const [, added = '', removed = '', path = ''] = /^(\d+|-)\t(\d+|-)\t(.*)$/s.exec(field) ?? [];
    const file = files.get(path);
    if (file) Object.assign(file, { added: toCount(added), removed: toCount(removed) });
  }
  return [...files.values()];
}

const toCount = (text: string): number | null => (text === '-' ? null : Number(text));
const toText = (path: string): string => Buffer.from(path, 'latin1').toString();

/**
 * A patch as text of at most `maxBytes`, cut before a file, or before a hunk of a file that has others before it. Lines
 * of a patch that are content begin with a space, a plus or a minus, so none looks like the beginning of either.
 */
export function cutPatch(patch: Buffer, maxBytes: number): { text: string; isCut: boolean } {
  const text = patch.toString();
  // Bytes that are no UTF-8 become longer as text.
  if (patch.length <= maxBytes && Buffer.byteLength(text) <= maxBytes) return { text, isCut: false };
  const fitting = Buffer.from(text).subarray(0, maxBytes).toString();
  const file = fitting.lastIndexOf('\ndiff --git ') + 1;
  const hunk = fitting.lastIndexOf('\n@@ ') + 1;
  const firstHunk = fitting.indexOf('\n@@ ', file) + 1;
  return { text: fitting.slice(0, hunk > firstHunk && firstHunk > 0 ? hunk : file), isCut: true };
}
