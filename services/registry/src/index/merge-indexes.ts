import type { LabelColumn, SearchIndexData } from './index-data.ts';
import type { SearchableSkill } from './index-writer.ts';
import { toLabelColumn } from './label-table.ts';
import { mergeTexts, NO_TEXT } from './merge-texts.ts';
import { NO_NAME, postNames } from './name-writer.ts';
import { rowsOf, toNumberColumn, toPopularity } from './number-writer.ts';
import { sizeOf, textAt } from './text-table.ts';
import { keyOf } from './words/fold.ts';

/** Of a row that is left out. */
export const NO_ROW = 0xffffffff;

/** An index and the rows that its rows have in the merged one, ascending; `NO_ROW` leaves a row out. */
export interface IndexSegment {
  index: SearchIndexData;
  rows: Uint32Array;
}

/**
 * Merges an index with one of added skills, like the segments of a log-structured index. The result is the same as if
 * all skills had been written to one index. `skillAt` reads the skill of a merged row.
 */
export function mergeIndexes(
  old: IndexSegment,
  added: IndexSegment,
  listed: number,
  skillAt: (row: number) => SearchableSkill,
): SearchIndexData {
  const merge = new IndexMerge(old, added, listed, skillAt);
  const [one, other] = [old.index, added.index];
  const numbers = (field: 'stars' | 'downloads' | 'updated') =>
    toNumberColumn(merge.join(one[field].values, other[field].values));
  const [stars, downloads] = [numbers('stars'), numbers('downloads')];
  const popularity = toPopularity(stars, downloads);
  return {
    count: merge.count,
    ...merge.words(),
    ...merge.names(popularity.rows),
    nameSizes: merge.join(one.nameSizes, other.nameSizes),
    listed,
    kinds: merge.join(one.kinds, other.kinds),
    categories: merge.labels(one.categories, other.categories, ({ categories }) => categories),
    authors: merge.labels(one.authors, other.authors, ({ author }) => [author]),
    repos: merge.labels(one.repos, other.repos, ({ source }) => [source.repo]),
    licenses: merge.labels(one.licenses, other.licenses, ({ license }) => [license]),
    tags: merge.labels(one.tags, other.tags, ({ tags }) => tags),
    valid: merge.join(one.valid, other.valid),
    stars,
    downloads,
    updated: numbers('updated'),
    popularity,
  };
}

type ValuesOf = (skill: SearchableSkill) => readonly (string | null)[];

class IndexMerge {
  readonly count: number;
  readonly #old: IndexSegment;
  readonly #added: IndexSegment;
  readonly #listed: number;
  readonly #skillAt: (row: number) => SearchableSkill;
  /** By merged row: its row in the old index, or in the added one and the bit complement of that. */
  readonly #sources: Int32Array;

  constructor(old: IndexSegment, added: IndexSegment, listed: number, skillAt: (row: number) => SearchableSkill) {
    this.#old = old;
    this.#added = added;
    this.#listed = listed;
    this.#skillAt = skillAt;
    this.count = old.rows.reduce((count, row) => count + Number(row !== NO_ROW), added.rows.length);
    this.#sources = new Int32Array(this.count);
    for (let row = 0; row < old.rows.length; row++) {
      if (old.rows[row] !== NO_ROW) this.#sources[old.rows[row] as number] = row;
    }
    for (let row = 0; row < added.rows.length; row++) this.#sources[added.rows[row] as number] = ~row;
  }

  /** The values of all rows. */
  join<Values extends Uint8Array | Float64Array>(old: Values, added: Values): Values {
    const joined = new (old.constructor as new (length: number) => Values)(this.count);
    for (let row = 0; row < this.count; row++) {
      const source = this.#sources[row] as number;
      joined[row] = (source < 0 ? added[~source] : old[source]) as number;
    }
    return joined;
  }

  words(): Pick<SearchIndexData, 'words' | 'postingOffsets' | 'postings'> {
    const [old, added] = [this.#old.index, this.#added.index];
    const rows = this.#old.rows;
    const isUsed = (word: number) => {
      const to = old.postingOffsets[word + 1] as number;
      for (let at = old.postingOffsets[word] as number; at < to; at++) {
        if (rows[(old.postings[at] as number) >>> 8] !== NO_ROW) return true;
      }
      return false;
    };
    const merged = mergeTexts(old.words, isUsed, added.words);
    const words = sizeOf(merged.table);
    const [oldWords, addedWords] = [invert(merged.fromOld, words), invert(merged.fromAdded, words)];
    const postings = new Uint32Array(old.postings.length + added.postings.length);
    const postingOffsets = new Uint32Array(words + 1);
    for (let word = 0, end = 0; word < words; word++) {
      end = this.#post(oldWords[word] as number, addedWords[word] as number, postings, end);
      postingOffsets[word + 1] = end;
    }
    return { words: merged.table, postingOffsets, postings: postings.subarray(0, postingOffsets[words]) };
  }

  /** Merges the postings of an old and an added word, either may be `NO_TEXT`, into `postings` from `end` on. */
  #post(oldWord: number, addedWord: number, postings: Uint32Array, end: number): number {
    const [old, added] = [this.#old.index, this.#added.index];
    const [oldRows, addedRows] = [this.#old.rows, this.#added.rows];
    const [from, to] = rangeOf(old.postingOffsets, oldWord);
    let [next, addedTo] = rangeOf(added.postingOffsets, addedWord);
    const rowAt = (at: number) => addedRows[(added.postings[at] as number) >>> 8] as number;
    let nextRow = next < addedTo ? rowAt(next) : NO_ROW;
    const postAdded = () => {
      postings[end++] = (nextRow << 8) | ((added.postings[next++] as number) & 255);
      nextRow = next < addedTo ? rowAt(next) : NO_ROW;
    };
    for (let at = from; at < to; at++) {
      const posting = old.postings[at] as number;
      const row = oldRows[posting >>> 8] as number;
      if (row === NO_ROW) continue;
      while (nextRow < row) postAdded();
      postings[end++] = (row << 8) | (posting & 255);
    }
    while (nextRow !== NO_ROW) postAdded();
    return end;
  }

  labels(old: LabelColumn, added: LabelColumn, valuesOf: ValuesOf): LabelColumn {
    const oldFirsts = firstRows(old);
    const used = new Uint8Array(oldFirsts.length);
    const offsets = new Uint32Array(this.count + 1);
    for (let row = 0; row < this.count; row++) {
      const { column, at } = this.#sourceOf(row, old, added);
      const [from, to] = [column.offsets[at] as number, column.offsets[at + 1] as number];
      offsets[row + 1] = (offsets[row] as number) + to - from;
      if (column === old) for (let value = from; value < to; value++) used[old.values[value] as number] = 1;
    }
    const merged = mergeTexts(old.keys, (label) => used[label] === 1, added.keys);
    const values = new Uint32Array(offsets[this.count] as number);
    const spellings = new Array<string>(sizeOf(merged.table));
    for (let row = 0, end = 0; row < this.count; row++) {
      const { column, at } = this.#sourceOf(row, old, added);
      for (let value = column.offsets[at] as number; value < (column.offsets[at + 1] as number); value++) {
        const label = column.values[value] as number;
        const number = (column === old ? merged.fromOld[label] : merged.fromAdded[label]) as number;
        values[end++] = number;
        // An added label has its spelling from its first added row, which comes first here, too.
        spellings[number] ??=
          column === added || oldFirsts[label] === at
            ? textAt(column.spellings, label)
            : spellingOf(textAt(merged.table, number), valuesOf(this.#skillAt(row)));
      }
    }
    return toLabelColumn({ offsets, values }, merged.table, spellings, this.#listed);
  }

  names(byPopularity: Uint32Array): Pick<SearchIndexData, 'names' | 'nameOffsets' | 'nameRows'> {
    const [old, added] = [this.#old.index, this.#added.index];
    const isUsed = (name: number) => {
      const rows = old.nameRows.subarray(old.nameOffsets[name], old.nameOffsets[name + 1]);
      return rows.some((row) => this.#old.rows[row] !== NO_ROW);
    };
    const merged = mergeTexts(old.names, isUsed, added.names);
    const count = sizeOf(merged.table);
    const names = new Uint32Array(this.count * 2).fill(NO_NAME);
    noteNames(names, this.#old, merged.fromOld);
    noteNames(names, this.#added, merged.fromAdded);
    return { names: merged.table, ...postNames(names, count, rowsOf(count), byPopularity) };
  }

  #sourceOf(row: number, old: LabelColumn, added: LabelColumn) {
    const source = this.#sources[row] as number;
    return source < 0 ? { column: added, at: ~source } : { column: old, at: source };
  }
}

function rangeOf(offsets: Uint32Array, at: number): [from: number, to: number] {
  return at === NO_TEXT ? [0, 0] : [offsets[at] as number, offsets[at + 1] as number];
}

/** By merged text: its number in the table that `positions` are of, or `NO_TEXT`. */
function invert(positions: Uint32Array, count: number): Uint32Array {
  const numbers = new Uint32Array(count).fill(NO_TEXT);
  for (let at = 0; at < positions.length; at++) {
    if (positions[at] !== NO_TEXT) numbers[positions[at] as number] = at;
  }
  return numbers;
}

/** By label: the first row that has it. */
function firstRows({ offsets, values, counts }: LabelColumn): Int32Array {
  const firsts = new Int32Array(counts.length).fill(-1);
  for (let row = 0; row < offsets.length - 1; row++) {
    for (let at = offsets[row] as number; at < (offsets[row + 1] as number); at++) {
      const label = values[at] as number;
      if (firsts[label] === -1) firsts[label] = row;
    }
  }
  return firsts;
}

/** Notes the names of each merged row of a segment. */
function noteNames(names: Uint32Array, { index, rows }: IndexSegment, positions: Uint32Array): void {
  for (let name = 0; name < positions.length; name++) {
    for (let at = index.nameOffsets[name] as number; at < (index.nameOffsets[name + 1] as number); at++) {
      const row = rows[index.nameRows[at] as number] as number;
      if (row !== NO_ROW) names[row * 2 + Number(names[row * 2] !== NO_NAME)] = positions[name] as number;
    }
  }
}

/** The first of `values` with a key. */
function spellingOf(key: string, values: readonly (string | null)[]): string {
  return values.find((value) => value !== null && keyOf(value) === key) ?? key;
}
