import { randomUUID } from 'node:crypto';
import { mkdir, open, readdir, readFile, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Source } from '../upstream/source.ts';
import { parseMeta, type Snapshot, snapshotId } from './snapshot.ts';

/** Of sources that were configured before. */
const KEPT_FILES = 5;
const NEW_LINE = 0x0a;

/**
 * The last good snapshot of each source as a file: one line of JSON (SnapshotMeta), then the raw bytes. Written beside and renamed, so that
 * a file is whole or not there, whenever the process or the machine stops.
 */
export class DiskSnapshotStore {
  readonly #folder: string;
  readonly #file: string;

  constructor(dataDir: string, source: Source) {
    this.#folder = join(dataDir, 'registry');
    this.#file = join(this.#folder, `snapshot-${source.key}`);
  }

  /** Undefined when there is none, or when its bytes are not those of its id. */
  async read(): Promise<Snapshot | undefined> {
    const content = await readFile(this.#file).catch(undefinedIfMissing);
    if (content === undefined) return undefined;
    const end = content.indexOf(NEW_LINE);
    const meta = parseMeta(content.subarray(0, Math.max(0, end)).toString() || null);
    const bytes = content.subarray(end + 1);
    return meta !== undefined && snapshotId(bytes) === meta.id ? { meta, bytes } : undefined;
  }

  async write({ meta, bytes }: Snapshot): Promise<void> {
    await mkdir(this.#folder, { recursive: true });
    const draft = `${this.#file}.${randomUUID()}.tmp`;
    try {
      const handle = await open(draft, 'w', 0o644);
      try {
        await handle.writeFile(`${JSON.stringify(meta)}\n`);
        await handle.writeFile(bytes);
        await handle.sync();
      } finally {
        await handle.close();
      }
      await rename(draft, this.#file);
    } finally {
      await rm(draft, { force: true });
    }
    await this.#removeOldest();
  }

  /** Also what a process that was killed has left half written. */
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

function undefinedIfMissing(error: NodeJS.ErrnoException): undefined {
  if (error.code === 'ENOENT') return undefined;
  throw error;
}
