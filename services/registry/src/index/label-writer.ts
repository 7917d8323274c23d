import type { LabelColumn, LabelListColumn, LabelTable } from './index-data.ts';
import { grow, TextInterner } from './text-interner.ts';
import { tableOfTexts } from './text-table.ts';
import { keyOf } from './words/fold.ts';

/** Collects the values of one field, document by document. Values with the same `keyOf` are one label. */
export class LabelWriter {
  readonly #keys = new TextInterner();
  readonly #spellings: string[] = [];
  /** By number of the spelling in `LabelNumbers`: number of the label + 1, or 0 if not known yet. */
  #known = new Uint32Array(1 << 10);
  #values = new Uint32Array(1 << 10);
  #valueCount = 0;
  #starts = new Uint32Array(1 << 10);
  #documents = 0;

  /** Ends the current document. */
  endDocument(): void {
    if (this.#documents + 2 > this.#starts.length) this.#starts = grow(this.#starts, this.#documents + 2);
    this.#starts[++this.#documents] = this.#valueCount;
  }

  /** Adds a value to the current document; duplicates count once. `spelling` is its number in `LabelNumbers`, or -1. */
  add(label: string, spelling: number): void {
    const known = spelling < 0 ? 0 : (this.#known[spelling] ?? 0);
    const number = known > 0 ? known - 1 : this.#numberOf(label, spelling);
    if (number < 0) return;
    for (let at = this.#starts[this.#documents] as number; at < this.#valueCount; at++) {
      if (this.#values[at] === number) return;
    }
    if (this.#valueCount === this.#values.length) this.#values = grow(this.#values, this.#valueCount + 1);
    this.#values[this.#valueCount++] = number;
  }

  /** For fields with at most one value per document. `documents` are by row. */
  finishColumn(documents: Uint32Array): LabelColumn {
    const { offsets, values: all, ...table } = this.finishListColumn(documents);
    const values = new Uint32Array(documents.length);
    for (let row = 0; row < documents.length; row++) {
      const at = offsets[row] as number;
      values[row] = at < (offsets[row + 1] as number) ? (all[at] as number) : table.counts.length;
    }
    return { ...table, values };
  }

  finishListColumn(documents: Uint32Array): LabelListColumn {
    const { offsets, numbers } = this.#collect(documents);
    const { table, indexes } = this.#finishTable(numbers);
    const values = new Uint32Array(numbers.length);
    for (let at = 0; at < numbers.length; at++) values[at] = indexes[numbers[at] as number] as number;
    return { ...table, offsets, values };
  }

  #numberOf(label: string, spelling: number): number {
    const number = this.#keys.internText(keyOf(label));
    if (number === this.#spellings.length) this.#spellings.push(label);
    if (spelling >= this.#known.length) this.#known = grow(this.#known, spelling + 1);
    if (spelling >= 0) this.#known[spelling] = number + 1;
    return number;
  }

  /** The values of all rows in sequence, as numbers of `#keys`. */
  #collect(documents: Uint32Array): { offsets: Uint32Array; numbers: Uint32Array } {
    const offsets = new Uint32Array(documents.length + 1);
    const starts = this.#starts;
    for (let row = 0; row < documents.length; row++) {
      const document = documents[row] as number;
      const size = (starts[document + 1] as number) - (starts[document] as number);
      offsets[row + 1] = (offsets[row] as number) + size;
    }
    const numbers = new Uint32Array(offsets[documents.length] as number);
    for (let row = 0; row < documents.length; row++) {
      const to = offsets[row + 1] as number;
      let from = starts[documents[row] as number] as number;
      for (let at = offsets[row] as number; at < to; at++) numbers[at] = this.#values[from++] as number;
    }
    return { offsets, numbers };
  }

  /** The table has only labels of rows; `indexes` has the place in it by number of `#keys`. */
  #finishTable(numbers: Uint32Array): { table: LabelTable; indexes: Uint32Array } {
    const all = new Uint32Array(this.#keys.count);
    for (let at = 0; at < numbers.length; at++) {
      const number = numbers[at] as number;
      all[number] = (all[number] as number) + 1;
    }
    const sorted = this.#keys.sorted(all);
    const indexes = new Uint32Array(all.length);
    sorted.forEach((number, at) => {
      indexes[number] = at;
    });
    const spellings = tableOfTexts(Array.from(sorted, (number) => this.#spellings[number] as string));
    const counts = Uint32Array.from(sorted, (number) => all[number] as number);
    return { table: { keys: this.#keys.tableOf(sorted), spellings, counts }, indexes };
  }
}
