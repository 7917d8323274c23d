import { grow, release } from '../memory/arrays.ts';
import type { LabelColumn } from './index-data.ts';
import { TextInterner } from './text-interner.ts';
import { positionsOf, tableOfTexts } from './text-table.ts';
import { keyOf } from './words/fold.ts';

/** Collects the values of one field, row by row. Values with the same `keyOf` are one label. */
export class LabelWriter {
  readonly #keys = new TextInterner();
  /** By label: the value that it was first seen with. */
  readonly #spellings: string[] = [];
  /** By value: its label, or -1 if there are too many. */
  readonly #labels = new Map<string, number>();
  #values = new Uint32Array(1 << 10);
  #count = 0;
  /** By row: where its labels begin in `#values`. */
  readonly #offsets: Uint32Array;

  constructor(rows: number) {
    this.#offsets = new Uint32Array(rows + 1);
  }

  /** Adds a value to the current row; labels count once. */
  add(row: number, value: string): void {
    const label = this.#labels.get(value) ?? this.#addValue(value);
    if (label < 0) return;
    for (let at = this.#offsets[row]!; at < this.#count; at++) if (this.#values[at] === label) return;
    if (this.#count === this.#values.length) this.#values = grow(this.#values, this.#count + 1);
    this.#values[this.#count++] = label;
  }

  /** Ends the current row. */
  end(row: number): void {
    this.#offsets[row + 1] = this.#count;
  }

  /** The first `listed` rows are of listed kinds. */
  finish(listed: number): LabelColumn {
    const order = this.#keys.sorted();
    const positions = positionsOf(order, order.length);
    const values = this.#values.slice(0, this.#count).map((label) => positions[label]!);
    release(this.#values);
    const counts = new Uint32Array(order.length);
    const listedCounts = new Uint32Array(order.length);
    const listedEnd = this.#offsets[listed]!;
    for (const [at, label] of values.entries()) {
      counts[label]!++;
      if (at < listedEnd) listedCounts[label]!++;
    }
    const spellings = tableOfTexts(Array.from(order, (label) => this.#spellings[label] as string));
    return { keys: this.#keys.tableOf(order), spellings, counts, listedCounts, offsets: this.#offsets, values };
  }

  #addValue(value: string): number {
    const label = this.#keys.internText(keyOf(value));
    this.#labels.set(value, label);
    if (label === this.#spellings.length) this.#spellings.push(value);
    return label;
  }
}
