import { constants } from 'node:fs';
import { lstat, open } from 'node:fs/promises';
import { join } from 'node:path';

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
