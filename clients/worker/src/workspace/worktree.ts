import { createHash } from 'node:crypto';
import { constants, type Stats } from 'node:fs';
import { lstat, mkdir, open, readdir, readlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { deflateSync } from 'node:zlib';
import { LINK, type TreeEntry } from './tree.ts';

/** A larger file is named as changed, but not in the patch. */
const MAX_FILE_BYTES = 10 * 1024 * 1024;
/** Of all changed files; those beyond it count as too large. */
const MAX_CHANGED_BYTES = 256 * 1024 * 1024;
const AT_ONCE = 32;

/** A path of the workspace as it is now; `undefined` for one that is not there, or is no file and no link. */
type Found = { mode: string; id: string } | 'large' | 'unreadable' | undefined;

/**
 * Reads files below a folder that an agent has left behind: it follows no link, opens nothing but plain files, and
 * waits for no pipe.
 */
export class Worktree {
  readonly #folder: string;
  readonly #objects: string;
  /** Whether a folder, as it was named, is one all the way down. */
  readonly #folders = new Map<string, Promise<boolean>>();
  readonly #hasLinks: boolean;
  #changedBytes = 0;

  /** @param objects a folder to which changed contents are written, as loose objects of Git */
  constructor(folder: string, objects: string, hasLinks: boolean) {
    this.#folder = folder;
    this.#objects = objects;
    this.#hasLinks = hasLinks;
  }

  /** What is at a path; its content is written as an object, unless it is that of `before`. */
  async read(path: string, before: TreeEntry | undefined, idLength: number): Promise<Found> {
    try {
      if (!(await this.#isFolder(dirname(path)))) return undefined;
      const file = this.#at(path);
      const stats = await lstat(file);
      if (stats.isSymbolicLink()) return await this.#store(LINK, await readlink(file, 'buffer'), before, idLength);
      if (!stats.isFile()) return undefined;
      // A file that is as large as before and too large to be read counts as unchanged.
      if (stats.size > MAX_FILE_BYTES) return before?.size === stats.size ? before : 'large';
      if (this.#changedBytes >= MAX_CHANGED_BYTES) return 'large';
      return await this.#store(this.#modeOf(stats, before), await readPlainFile(file), before, idLength);
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      return code === 'ENOENT' || code === 'ENOTDIR' ? undefined : 'unreadable';
    }
  }

  /** Paths of all files and links below a folder, but for what belongs to Git; false when there are more than `max`. */
  async list(path: string, into: string[], max: number): Promise<boolean> {
    if (!(await this.#isFolder(path))) return true;
    const entries = await readdir(this.#at(path), { withFileTypes: true, encoding: 'buffer' }).catch(() => []);
    for (const entry of entries) {
      const name = entry.name.toString('latin1');
      if (/^\.git$/i.test(name)) continue;
      if (into.length >= max) return false;
      const child = `${path}/${name}`;
      if (entry.isDirectory()) {
        if (!(await this.list(child, into, max))) return false;
      } else if (entry.isFile() || entry.isSymbolicLink()) into.push(child);
    }
    return true;
  }

  #at(path: string): Buffer {
    return Buffer.concat([Buffer.from(`${this.#folder}/`), Buffer.from(path, 'latin1')]);
  }

  #isFolder(path: string): Promise<boolean> {
    if (path === '.') return Promise.resolve(true);
    const known = this.#folders.get(path);
    if (known) return known;
    const read = this.#isFolder(dirname(path)).then(
      async (isFolder) => isFolder && (await lstat(this.#at(path)).catch(() => undefined))?.isDirectory() === true,
    );
    this.#folders.set(path, read);
    return read;
  }

  /** In a clone without links, a link is a file with the target as its text. */
  #modeOf({ mode }: Stats, before: TreeEntry | undefined): string {
    if (before?.mode === LINK && !this.#hasLinks) return LINK;
    return mode & 0o100 ? '100755' : '100644';
  }

  async #store(mode: string, content: Buffer, before: TreeEntry | undefined, idLength: number) {
    const object = Buffer.concat([Buffer.from(`blob ${content.length}\0`), content]);
    const id = createHash(idLength === 64 ? 'sha256' : 'sha1')
      .update(object)
      .digest('hex');
    if (id === before?.id) return { mode, id };
    this.#changedBytes += content.length;
    const path = join(this.#objects, id.slice(0, 2), id.slice(2));
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, deflateSync(object, { level: 1 }));
    return { mode, id };
  }
}

/** The content of a plain file. @throws for what is none by now, or grows meanwhile */
async function readPlainFile(path: Buffer): Promise<Buffer> {
  const file = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  try {
    const stats = await file.stat();
    if (!stats.isFile() || stats.size > MAX_FILE_BYTES) throw new Error('not a plain file');
    const content = Buffer.alloc(stats.size + 1);
    let length = 0;
    for (;;) {
      const { bytesRead } = await file.read(content, length, content.length - length);
      length += bytesRead;
      if (length > stats.size) throw new Error('it grows');
      if (bytesRead === 0) return content.subarray(0, length);
    }
  } finally {
    await file.close();
  }
}

/** Calls `work` for each item, some at a time. */
export async function forEachAtOnce<Item>(items: Iterable<Item>, work: (item: Item) => Promise<void>): Promise<void> {
  const rest = items[Symbol.iterator]();
  const worker = async () => {
    for (let next = rest.next(); !next.done; next = rest.next()) await work(next.value);
  };
  await Promise.all(Array.from({ length: AT_ONCE }, worker));
}

const MAX_BYTES = 1024 * 1024;

/**
 * The commit that HEAD of a workspace names, read as text: Git would read the configuration of the workspace too.
 * Undefined when it names none, or what it names is not plain files and folders.
 */
export async function readHead(folder: string, idLength: number): Promise<string | undefined> {
  const isId = (text: string) => text.length === idLength && /^[0-9a-f]+$/.test(text);
  const head = (await readText(folder, '.git', 'HEAD'))?.trim() ?? '';
  if (isId(head)) return head;
  const ref = /^ref: (refs\/heads\/[A-Za-z0-9_][A-Za-z0-9._/-]*)$/.exec(head)?.[1];
  if (ref === undefined || ref.split('/').some((name) => name === '' || name.startsWith('.'))) return undefined;
  const id = (await readText(folder, '.git', ...ref.split('/')))?.trim();
  if (id !== undefined && isId(id)) return id;
  const packed = (await readText(folder, '.git', 'packed-refs')) ?? '';
  const line = packed.split('\n').find((each) => each.endsWith(` ${ref}`));
  return line !== undefined && isId(line.slice(0, idLength)) ? line.slice(0, idLength) : undefined;
}

async function readText(folder: string, ...names: string[]): Promise<string | undefined> {
  try {
    for (let depth = 1; depth < names.length; depth++) {
      if (!(await lstat(join(folder, ...names.slice(0, depth)))).isDirectory()) return undefined;
    }
    const flags = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;
    const file = await open(join(folder, ...names), flags);
    try {
      const stats = await file.stat();
      if (!stats.isFile() || stats.size > MAX_BYTES) return undefined;
      const { buffer, bytesRead } = await file.read(Buffer.alloc(MAX_BYTES), 0, MAX_BYTES, 0);
      return buffer.subarray(0, bytesRead).toString();
    } finally {
      await file.close();
    }
  } catch {
    return undefined;
  }
}
