import type { SearchIndexData } from './index-data.ts';
import { grow, TextInterner } from './text-interner.ts';
import { positionsOf } from './text-table.ts';
import { foldName } from './words/fold.ts';

type Names = Pick<SearchIndexData, 'names' | 'nameOffsets' | 'nameRows'>;

export const NO_NAME = 0xffffffff;

/** Collects the names of documents. */
export class NameWriter {
  readonly #keys = new TextInterner();
  /** Name and display name by document as numbers of `#keys`; `NO_NAME` for a display name that is the same. */
  #names = new Uint32Array(1 << 10);
  #size = 0;

  add(name: string, displayName: string): void {
    if (this.#size + 2 > this.#names.length) this.#names = grow(this.#names, this.#size + 2);
    const first = this.#number(name);
    const second = displayName === name ? first : this.#number(displayName);
    this.#names[this.#size++] = first;
    this.#names[this.#size++] = second === first ? NO_NAME : second;
  }

  /** `byPopularity` has all rows. */
  finish(documents: Uint32Array, byPopularity: Uint32Array): Names {
    const names = new Uint32Array(documents.length * 2);
    for (let row = 0; row < documents.length; row++) {
      const at = (documents[row] as number) * 2;
      names.set(this.#names.subarray(at, at + 2), row * 2);
    }
    const used = new Uint32Array(this.#keys.count);
    for (const name of names) if (name !== NO_NAME) used[name] = 1;
    const order = this.#keys.sorted(used);
    return { names: this.#keys.tableOf(order), ...postNames(names, used.length, order, byPopularity) };
  }

  /** `NO_NAME` for a name of separators only. */
  #number(name: string): number {
    const key = foldName(name);
    const number = key === '' ? -1 : this.#keys.internText(key);
    return number < 0 ? NO_NAME : number;
  }
}

/** The rows of the names in `order`, most popular first. `names` are two of each row, all below `count`. */
export function postNames(
  names: Uint32Array,
  count: number,
  order: Uint32Array,
  byPopularity: Uint32Array,
): Pick<Names, 'nameOffsets' | 'nameRows'> {
  const positions = positionsOf(order, count);
  const nameOffsets = new Uint32Array(order.length + 1);
  for (const name of names) {
    if (name === NO_NAME) continue;
    const after = (positions[name] as number) + 1;
    nameOffsets[after] = (nameOffsets[after] as number) + 1;
  }
  for (let at = 0; at < order.length; at++) {
    nameOffsets[at + 1] = (nameOffsets[at + 1] as number) + (nameOffsets[at] as number);
  }
  const next = nameOffsets.slice();
  const nameRows = new Uint32Array(nameOffsets[order.length] as number);
  for (const row of byPopularity) {
    for (let at = row * 2; at < row * 2 + 2; at++) {
      if (names[at] === NO_NAME) continue;
      const position = positions[names[at] as number] as number;
      const posting = next[position] as number;
      nameRows[posting] = row;
      next[position] = posting + 1;
    }
  }
  return { nameOffsets, nameRows };
}
