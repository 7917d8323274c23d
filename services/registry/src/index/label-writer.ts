import type { LabelColumn } from './index-data.ts';
import { toLabelColumn } from './label-table.ts';
import { grow, TextInterner } from './text-interner.ts';
import { positionsOf } from './text-table.ts';
import { keyOf } from './words/fold.ts';

/** Collects the values of one field, document by document. Values with the same `keyOf` are one label. */
export class LabelWriter {
  readonly #keys = new TextInterner();
  /** Distinct values in their first order; a value is a number of this list. */
  readonly #spellings: string[] = [];
  readonly #numbers = new Map<string, number>();
  /** By spelling: its label, or -1 if there are too many. */
  readonly #labels: number[] = [];
  #values = new Uint32Array(1 << 10);
  #valueCount = 0;
  #starts = new Uint32Array(1 << 10);
  #documents = 0;

  /** Ends the current document. */
  endDocument(): void {
    if (this.#documents + 2 > this.#starts.length) this.#starts = grow(this.#starts, this.#documents + 2);
    this.#starts[++this.#documents] = this.#valueCount;
  }

  /** Adds a value to the current document; labels count once. */
  add(value: string): void {
    const spelling = this.#numbers.get(value) ?? this.#addSpelling(value);
    const label = this.#labels[spelling] as number;
    if (label < 0) return;
    for (let at = this.#starts[this.#documents] as number; at < this.#valueCount; at++) {
      if (this.#labels[this.#values[at] as number] === label) return;
    }
    if (this.#valueCount === this.#values.length) this.#values = grow(this.#values, this.#valueCount + 1);
    this.#values[this.#valueCount++] = spelling;
  }

  /** `documents` are by row, the first `listed` of them listed. */
  finish(documents: Uint32Array, listed: number): LabelColumn {
    const starts = this.#starts;
    const offsets = new Uint32Array(documents.length + 1);
    for (let row = 0; row < documents.length; row++) {
      const document = documents[row] as number;
      const size = (starts[document + 1] as number) - (starts[document] as number);
      offsets[row + 1] = (offsets[row] as number) + size;
    }
    const values = new Uint32Array(offsets[documents.length] as number);
    const spellings = new Int32Array(this.#keys.count).fill(-1);
    for (let row = 0; row < documents.length; row++) {
      let from = starts[documents[row] as number] as number;
      for (let at = offsets[row] as number; at < (offsets[row + 1] as number); at++) {
        const spelling = this.#values[from++] as number;
        const label = this.#labels[spelling] as number;
        values[at] = label;
        if (spellings[label] === -1) spellings[label] = spelling;
      }
    }
    const order = this.#keys.sorted(spellings.map((spelling) => spelling + 1));
    const positions = positionsOf(order, spellings.length);
    const numbers = values.map((label) => positions[label] as number);
    const texts = Array.from(order, (label) => this.#spellings[spellings[label] as number] as string);
    return toLabelColumn({ offsets, values: numbers }, this.#keys.tableOf(order), texts, listed);
  }

  #addSpelling(value: string): number {
    const number = this.#spellings.push(value) - 1;
    this.#numbers.set(value, number);
    this.#labels.push(this.#keys.internText(keyOf(value)));
    return number;
  }
}
