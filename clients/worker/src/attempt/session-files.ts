import { constants } from 'node:fs';
import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { gunzip, gzip } from 'node:zlib';
import { messageOf, TaskError } from '../errors.ts';
import { writeHomeFile } from '../runtimes/attempt-files.ts';
import type { AttemptFolders } from '../runtimes/runtime.ts';

/** Limit of the fleet, decoded. */
const MAX_PACKED_BYTES = 1024 * 1024;
const MAX_BYTES = 32 * 1024 * 1024;
/** What a part of a path must not be. */
const UNSAFE = /^\.{0,2}$|[\\\0]/;

/** The files of a session as text in Base64; undefined when they are more than the fleet keeps. */
export async function packSession({ home }: AttemptFolders, paths: readonly string[]): Promise<string | undefined> {
  const files: Record<string, string> = {};
  let bytes = 0;
  for (const path of paths) {
    const content = await readOwnFile(join(home, path));
    bytes += content?.length ?? 0;
    if (bytes > MAX_BYTES) return undefined;
    if (content !== undefined) files[path] = content.toString('latin1');
  }
  if (Object.keys(files).length === 0) return undefined;
  const packed = await promisify(gzip)(JSON.stringify(files));
  return packed.length > MAX_PACKED_BYTES ? undefined : packed.toString('base64');
}

/** An agent may have put a link or a pipe there. */
async function readOwnFile(path: string): Promise<Buffer | undefined> {
  const file = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK).catch(() => {});
  if (file === undefined) return undefined;
  try {
    const { size } = await file.stat();
    return size > MAX_BYTES ? Buffer.alloc(size) : await file.readFile();
  } catch {
    return undefined;
  } finally {
    await file.close();
  }
}

/** Writes the files of a session below the home of an attempt. @throws TaskError `session_lost` */
export async function unpackSession(folders: AttemptFolders, data: string): Promise<void> {
  try {
    const text = await promisify(gunzip)(Buffer.from(data, 'base64'), { maxOutputLength: 2 * MAX_BYTES });
    const files = Object.entries(JSON.parse(text.toString()) as Record<string, string>);
    for (const [path, content] of files) {
      const parts = path.split('/');
      if (parts.some((part) => UNSAFE.test(part))) throw new Error(`unsafe path ${path}`);
      await writeHomeFile(folders, parts, Buffer.from(content, 'latin1'));
    }
  } catch (error) {
    const message = `The files of the session cannot be read: ${messageOf(error)}`;
    throw new TaskError(message, { code: 'session_lost', retryable: false });
  }
}
