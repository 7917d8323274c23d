import type { Logger } from '@agent-fleet/shared/logger';
import type { DiskSnapshotStore } from './disk-snapshot-store.ts';
import type { SnapshotMeta, StoredSnapshot } from './snapshot.ts';

/** The optional snapshot on disk. Failures are logged and treated like a missing snapshot. */
export class DiskCopy {
  readonly #store: DiskSnapshotStore | undefined;
  readonly #logger: Logger;
  readonly #signal: AbortSignal;

  constructor(store: DiskSnapshotStore | undefined, logger: Logger, signal: AbortSignal) {
    this.#store = store;
    this.#logger = logger;
    this.#signal = signal;
  }

  readMeta(): Promise<SnapshotMeta | undefined> {
    return this.#try(async () => this.#store?.readMeta());
  }

  /** Returns the result of `use`, called with the snapshot. */
  read<Result>(use: (stored: StoredSnapshot) => Promise<Result>): Promise<Result | undefined> {
    return this.#try(async () => {
      const stored = await this.#store?.read();
      return stored && use(stored);
    });
  }

  async write(snapshot: StoredSnapshot): Promise<void> {
    await this.#try(async () => this.#store?.write(snapshot));
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
}
