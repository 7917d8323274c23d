import { nameOf, type SnapshotName } from './snapshot.ts';

/** A lack of memory or time may pass. */
const TRY_AGAIN_MS = 60_000;

/** The last unreadable snapshot under one key: a later version wrote it, or documents are missing. */
export class UnreadableSnapshot {
  #name = '';
  #until = 0;

  /** Whether this snapshot is unreadable and must not be retried yet. */
  is(snapshot: SnapshotName): boolean {
    return this.#name === nameOf(snapshot) && performance.now() < this.#until;
  }

  /** True the first time. */
  note(snapshot: SnapshotName): boolean {
    const isFirst = this.#name !== nameOf(snapshot);
    this.#name = nameOf(snapshot);
    this.#until = performance.now() + TRY_AGAIN_MS;
    return isFirst;
  }
}
