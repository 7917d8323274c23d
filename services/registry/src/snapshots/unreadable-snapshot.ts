import { nameOf, type SnapshotName } from './snapshot.ts';

/** What could not be read for want of memory or time may be read later. */
const TRY_AGAIN_MS = 60_000;

/** The last snapshot under one key that this replica could not read: a later version may have written it, or documents of it have gone. */
export class UnreadableSnapshot {
  #name = '';
  #until = 0;

  /** Whether it is this one, and not to be tried again yet. */
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
