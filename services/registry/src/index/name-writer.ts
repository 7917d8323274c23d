import type { SearchIndexData } from './index-data.ts';
import { TextInterner } from './text-interner.ts';
import { positionsOf } from './text-table.ts';
import { foldName } from './words/fold.ts';

const NO_NAME = 0xffffffff;

/** Collects the names of rows. */
export class NameWriter {
  readonly #keys = new TextInterner();
  /** Name and display name by row as numbers of `#keys`; `NO_NAME` for a display name that is the same. */
  readonly #names: Uint32Array;

  constructor(rows: number) {
    this.#names = new Uint32Array(rows * 2);
  }

  add(row: number, name: string, displayName: string): void {
    const first = this.#number(name);
    const second = displayName === name ? first : this.#number(displayName);
    this.#names[row * 2] = first;
    this.#names[row * 2 + 1] = second === first ? NO_NAME : second;
  }

  /** `byPopularity` has all rows: those of a name are in this order. */
  finish(byPopularity: Uint32Array): Pick<SearchIndexData, 'names' | 'nameOffsets' | 'nameRows'> {
    const order = this.#keys.sorted();
    const positions = positionsOf(order, order.length);
    const nameOffsets = new Uint32Array(order.length + 1);
    for (const name of this.#names) if (name !== NO_NAME) nameOffsets[positions[name]! + 1]!++;
    for (let at = 0; at < order.length; at++) nameOffsets[at + 1]! += nameOffsets[at]!;
    const next = nameOffsets.slice();
    const nameRows = new Uint32Array(nameOffsets[order.length]!);
    for (const row of byPopularity) {
      for (const name of this.#names.subarray(row * 2, row * 2 + 2)) {
        if (name !== NO_NAME) nameRows[next[positions[name]!]!++] = row;
      }
    }
    return { names: this.#keys.tableOf(order), nameOffsets, nameRows };
  }

  /** `NO_NAME` for a name of separators only. */
  #number(name: string): number {
    const key = foldName(name);
    const number = key === '' ? -1 : this.#keys.internText(key);
    return number < 0 ? NO_NAME : number;
  }
}
