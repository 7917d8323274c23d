import type { SearchIndexData } from './index-data.ts';
import { grow, TextInterner } from './text-interner.ts';
import { tableOfTexts } from './text-table.ts';
import { foldName } from './words/fold.ts';

type Names = Pick<SearchIndexData, 'names' | 'nameOffsets' | 'nameRows' | 'nameSpellings'>;

const NONE = 0xffffffff;

/** Collects the names of documents. */
export class NameWriter {
  readonly #keys = new TextInterner();
  readonly #spellings: string[] = [];
  #documents = 0;
  /** Two entries per document: name, and display name if it differs. */
  #names = new Uint32Array(1 << 10);

  add(name: string, displayName: string): void {
    const at = this.#documents++ * 2;
    if (at + 2 > this.#names.length) this.#names = grow(this.#names, at + 2);
    const first = this.#number(name);
    const second = displayName === name ? first : this.#number(displayName);
    this.#names[at] = first;
    this.#names[at + 1] = second === first ? NONE : second;
  }

  /** `byPopularity` has all rows. */
  finish(documents: Uint32Array, byPopularity: Uint32Array): Names {
    const counts = new Uint32Array(this.#keys.count);
    this.#forEachName(byPopularity, documents, (name) => {
      counts[name] = (counts[name] as number) + 1;
    });
    const numbers = this.#keys.sorted(counts);
    const nameOffsets = new Uint32Array(numbers.length + 1);
    // From here on `counts` holds the position of the next row of a name.
    for (let at = 0; at < numbers.length; at++) {
      const number = numbers[at] as number;
      nameOffsets[at + 1] = (nameOffsets[at] as number) + (counts[number] as number);
      counts[number] = nameOffsets[at] as number;
    }
    const nameRows = new Uint32Array(nameOffsets[numbers.length] as number);
    this.#forEachName(byPopularity, documents, (name, row) => {
      const posting = counts[name] as number;
      nameRows[posting] = row;
      counts[name] = posting + 1;
    });
    const nameSpellings = tableOfTexts(Array.from(numbers, (number) => this.#spellings[number] as string));
    return { names: this.#keys.tableOf(numbers), nameOffsets, nameRows, nameSpellings };
  }

  /** `NONE` for a name of separators only. */
  #number(name: string): number {
    const key = foldName(name);
    const number = key === '' ? -1 : this.#keys.internText(key);
    if (number === this.#spellings.length) this.#spellings.push(name);
    return number < 0 ? NONE : number;
  }

  #forEachName(rows: Uint32Array, documents: Uint32Array, take: (name: number, row: number) => void): void {
    for (const row of rows) {
      const at = (documents[row] as number) * 2;
      if (this.#names[at] !== NONE) take(this.#names[at] as number, row);
      if (this.#names[at + 1] !== NONE) take(this.#names[at + 1] as number, row);
    }
  }
}
