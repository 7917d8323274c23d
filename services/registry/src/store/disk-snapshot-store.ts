import { randomUUID } from 'node:crypto';
import { type FileHandle, mkdir, open, readdir, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Logger } from '@agent-fleet/shared/logger';
import { z } from 'zod';
import { CHANGE_ENTRIES } from '../changes/change-log.ts';
import { TRENDS } from '../changes/trends.ts';
import { packJson, parseAs, SNAPSHOT_META, type SnapshotMeta, type StoredSnapshot, unpackJson } from './snapshot.ts';

/** Includes snapshots of previously configured sources. */
const KEPT_FILES = 5;
const MAX_HEADER_BYTES = 4 * 1024 * 1024;
const HEADER = z.object({
  meta: SNAPSHOT_META,
  /** The header is followed by the history and then by the documents. */
  historyBytes: z.int().min(0),
  documents: z.array(z.object({ digest: z.string(), packedBytes: z.int().min(0) })),
  /** After the documents. */
  trendsBytes: z.int().min(0),
});

/**
 * The last good snapshot of each list of sources as a file: the length of its header in eight digits, the header
 * (JSON), then history, documents and trends. Writes are atomic (temporary file, then rename): a crash never leaves a
 * partial snapshot. Failures are logged and treated like a missing snapshot.
 */
export class DiskSnapshotStore {
  readonly #folder: string;
  readonly #file: string;
  readonly #logger: Logger;
  readonly #signal: AbortSignal;

  constructor(dataDir: string, sourcesKey: string, logger: Logger, signal: AbortSignal) {
    this.#folder = join(dataDir, 'registry');
    this.#file = join(this.#folder, `snapshot-${sourcesKey}`);
    this.#logger = logger;
    this.#signal = signal;
  }

  /** Does not read the documents. Undefined when there is no snapshot that this version can read. */
  async readMeta(): Promise<SnapshotMeta | undefined> {
    return this.#open(async (file) => (await readHeader(file))?.meta);
  }

  /** Returns the result of `use`, called with the snapshot. */
  async read<Result>(use: (stored: StoredSnapshot) => Promise<Result>): Promise<Result | undefined> {
    return this.#open(async (file) => {
      const header = await readHeader(file);
      if (header === undefined) return undefined;
      let { at } = header;
      const take = async (bytes: number) => {
        const part = await readPart(file, at, bytes);
        at += bytes;
        return part;
      };
      const history = await unpackJson(CHANGE_ENTRIES, await take(header.historyBytes));
      const documents = new Map<string, Uint8Array>();
      for (const { digest, packedBytes } of header.documents) documents.set(digest, await take(packedBytes));
      const trends = await unpackJson(TRENDS, await take(header.trendsBytes));
      return use({ meta: header.meta, documents, history, trends });
    });
  }

  async write(snapshot: StoredSnapshot): Promise<void> {
    await this.#try(() => this.#replace(snapshot));
  }

  async #replace({ meta, documents, history, trends }: StoredSnapshot): Promise<void> {
    await mkdir(this.#folder, { recursive: true });
    const packed = await packJson(history);
    const packedTrends = await packJson(trends);
    const lengths = [...documents].map(([digest, { byteLength }]) => ({ digest, packedBytes: byteLength }));
    const about = { meta, historyBytes: packed.length, documents: lengths, trendsBytes: packedTrends.length };
    const header = Buffer.from(JSON.stringify(about));
    const draft = `${this.#file}.${randomUUID()}.tmp`;
    try {
      const head = String(header.length).padStart(8, '0');
      await writeParts(draft, [head, header, packed, ...documents.values(), packedTrends]);
      await rename(draft, this.#file);
    } finally {
      await rm(draft, { force: true });
    }
    await this.#removeOldest();
  }

  #open<Result>(use: (file: FileHandle) => Promise<Result | undefined>): Promise<Result | undefined> {
    return this.#try(async () => {
      await using file = await open(this.#file).catch(undefinedIfMissing);
      return file && (await use(file));
    });
  }

  async #try<Result>(act: () => Promise<Result>): Promise<Result | undefined> {
    try {
      return await act();
    } catch (error) {
      if (this.#signal.aborted) throw error;
      this.#logger.warn({ err: error }, 'failed to read or write the snapshot on disk');
      return undefined;
    }
  }

  /** Also removes temporary files of killed processes. */
  async #removeOldest(): Promise<void> {
    const names = (await readdir(this.#folder)).filter((name) => name.startsWith('snapshot-'));
    const files = await Promise.all(
      names.map(async (name) => {
        const path = join(this.#folder, name);
        return { path, changedAt: (await stat(path).catch(undefinedIfMissing))?.mtimeMs ?? 0 };
      }),
    );
    files.sort((a, b) => b.changedAt - a.changedAt);
    await Promise.all(files.slice(KEPT_FILES).map(({ path }) => rm(path, { force: true })));
  }
}

/** Undefined for another format. */
async function readHeader(file: FileHandle) {
  const length = Number((await readPart(file, 0, 8)).toString('latin1'));
  if (!(length > 0 && length <= MAX_HEADER_BYTES)) return undefined;
  const header = parseAs(HEADER, (await readPart(file, 8, length)).toString());
  return header && { ...header, at: 8 + length };
}

async function writeParts(path: string, parts: readonly (string | Uint8Array)[]): Promise<void> {
  await using file = await open(path, 'w', 0o644);
  for (const part of parts) await file.writeFile(part);
  await file.sync();
}

/** @throws Error when the file is too short */
async function readPart(file: FileHandle, position: number, bytes: number): Promise<Buffer> {
  const { size } = await file.stat();
  if (position + bytes > size) throw new Error('The snapshot on disk is incomplete');
  const part = Buffer.allocUnsafeSlow(bytes);
  let done = 0;
  while (done < bytes) {
    const { bytesRead } = await file.read(part, done, bytes - done, position + done);
    if (bytesRead === 0) throw new Error('The snapshot on disk is incomplete');
    done += bytesRead;
  }
  return part;
}

function undefinedIfMissing(error: NodeJS.ErrnoException): undefined {
  if (error.code === 'ENOENT') return undefined;
  throw error;
}
