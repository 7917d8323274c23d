import type { BigIntStats } from 'node:fs';
import { constants, type FileHandle, open, realpath } from 'node:fs/promises';
import { dirname, isAbsolute, relative, sep } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { packStream } from '../source/document.ts';
import { UpstreamError } from '../source/errors.ts';
import { withDeadline } from './deadline.ts';
import type { SourceReader, Validator } from './source-reader.ts';

const CHUNK_BYTES = 256 * 1024;

/** File timestamps are coarse: a file changed within this time may change again with the same timestamp. */
const UNSETTLED_MS = 2_000;

/** Reads a regular file, and the files in its folder that it refers to. */
export function createDiskReader(source: string): SourceReader {
  const root = { url: pathToFileURL(source), mayBeInternal: true };
  return {
    root,

    read: (location, known, limits, signal) =>
      withDeadline(limits.deadlineMs, signal, async (within) => {
        try {
          const file = toPath(location.url);
          if (location !== root) await requireInFolder(file, dirname(source));
          return { ...(await readFile(file, known, limits.maxBytes, within)), location };
        } catch (error) {
          if (error instanceof UpstreamError || within.aborted) throw error;
          const { code } = error as NodeJS.ErrnoException;
          throw new UpstreamError('unreadable_file', `The file cannot be read${code ? ` (${code})` : ''}`, error);
        }
      }),

    resolve(reference, from) {
      const url = URL.parse(reference, from.url);
      if (url?.protocol === 'file:') return { url, mayBeInternal: true };
      throw new UpstreamError('bad_manifest', 'A file refers to a URL that is not a file');
    },
  };
}

async function readFile(file: string, known: Validator | undefined, maxBytes: number, signal: AbortSignal) {
  // Opening a pipe would block until its other end is opened.
  await using handle = await open(file, constants.O_RDONLY | constants.O_NONBLOCK);
  const stats = await requireRegularFile(handle, maxBytes);
  const validator = { etag: toEtag(stats), lastModified: null };
  const isKnown = validator.etag !== null && validator.etag === known?.etag;
  const bytes = () => handle.createReadStream({ autoClose: false, highWaterMark: CHUNK_BYTES });
  const document = isKnown ? undefined : await packStream(bytes(), maxBytes, signal);
  return { document, validator, freshForMs: undefined, isHtml: false };
}

/** Resolves symbolic links first. */
async function requireInFolder(file: string, folder: string): Promise<void> {
  const way = relative(await realpath(folder), await realpath(file));
  if (way === '..' || way.startsWith(`..${sep}`) || isAbsolute(way)) {
    throw new UpstreamError('bad_manifest', 'A file refers to a path outside the folder of its source');
  }
}

/** A device may have no end. */
async function requireRegularFile(handle: FileHandle, maxBytes: number): Promise<BigIntStats> {
  const stats = await handle.stat({ bigint: true });
  if (!stats.isFile()) throw new UpstreamError('unreadable_file', 'The source is not a regular file');
  if (stats.size > maxBytes) throw new UpstreamError('too_large', `The file is larger than ${maxBytes} bytes`);
  return stats;
}

/** Changes whenever the file changes; null while the file is too new to tell. */
function toEtag({ dev, ino, size, mtimeNs, ctimeNs, mtimeMs, ctimeMs }: BigIntStats): string | null {
  const changedAt = Number(mtimeMs > ctimeMs ? mtimeMs : ctimeMs);
  if (Date.now() - changedAt < UNSETTLED_MS) return null;
  return [dev, ino, size, mtimeNs, ctimeNs].join('-');
}

/** @throws UpstreamError `bad_manifest` for a URL that is not a valid path */
function toPath(url: URL): string {
  try {
    return fileURLToPath(url);
  } catch (error) {
    throw new UpstreamError('bad_manifest', 'A file refers to a URL that is not a valid path', error);
  }
}
