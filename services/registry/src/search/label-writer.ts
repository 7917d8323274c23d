import type { LabelColumn, LabelListColumn, LabelTable } from './index-data.ts';
import { grow, TextInterner } from './text-interner.ts';
import { tableOfTexts } from './text-table.ts';

/** Collects the values of one field, document by document; those that differ in case only are one. */
export class LabelWriter {
  readonly #keys = new TextInterner();
  readonly #spellings: string[] = [];
  #values = new Uint32Array(1 << 10);
  #valueCount = 0;
  #starts = new Uint32Array(1 << 10);
  #documents = 0;

  /** The values of the next document; doubles count once. */
  add(labels: readonly string[]): void {
    if (this.#documents + 2 > this.#starts.length) this.#starts = grow(this.#starts, this.#documents + 2);
    for (const label of labels) this.#addValue(label, this.#starts[this.#documents] as number);
    this.#starts[++this.#documents] = this.#valueCount;
  }

  /** `documents` are those of the rows. A document has one value at most. */
  finishColumn(documents: Uint32Array): LabelColumn {
    const { table, numberOf } = this.#finishTable(documents);
    const values = new Uint32Array(documents.length);
    for (let row = 0; row < documents.length; row++) {
      const [from, to] = this.#rangeOf(documents[row] as number);
      values[row] = from < to ? (numberOf[this.#values[from] as number] as number) : table.counts.length;
    }
    return { ...table, values };
  }

  finishListColumn(documents: Uint32Array): LabelListColumn {
    const { table, numberOf } = this.#finishTable(documents);
    const offsets = new Uint32Array(documents.length + 1);
    for (let row = 0; row < documents.length; row++) {
      const [from, to] = this.#rangeOf(documents[row] as number);
      offsets[row + 1] = (offsets[row] as number) + to - from;
    }
    const values = new Uint32Array(offsets[documents.length] as number);
    for (let row = 0; row < documents.length; row++) {
      const [from, to] = this.#rangeOf(documents[row] as number);
      const start = offsets[row] as number;
      for (let at = from; at < to; at++) values[start + at - from] = numberOf[this.#values[at] as number] as number;
    }
    return { ...table, offsets, values };
  }

  #addValue(label: string, start: number): void {
    const number = this.#keys.internText(label.toLowerCase());
    if (number < 0 || this.#values.subarray(start, this.#valueCount).includes(number)) return;
    if (number === this.#spellings.length) this.#spellings.push(label);
    if (this.#valueCount === this.#values.length) this.#values = grow(this.#values, this.#valueCount + 1);
    this.#values[this.#valueCount++] = number;
  }

  #rangeOf(document: number): [from: number, to: number] {
    return [this.#starts[document] as number, this.#starts[document + 1] as number];
  }

  /** Only values that a row has; `numberOf` is the place in the table by the number given here. */
  #finishTable(documents: Uint32Array): { table: LabelTable; numberOf: Uint32Array } {
    const all = new Uint32Array(this.#keys.count);
    for (const document of documents) {
      const [from, to] = this.#rangeOf(document);
      for (let at = from; at < to; at++)
        all[this.#values[at] as number] = (all[this.#values[at] as number] as number) + 1;
    }
    const numbers = this.#keys.sorted(all);
    const numberOf = new Uint32Array(all.length);
    numbers.forEach((number, at) => {
      numberOf[number] = at;
    });
    const spellings = tableOfTexts(Array.from(numbers, (number) => this.#spellings[number] as string));
    const counts = Uint32Array.from(numbers, (number) => all[number] as number);
    return { table: { keys: this.#keys.tableOf(numbers), spellings, counts }, numberOf };
  }
}
