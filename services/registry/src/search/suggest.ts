import type { LabelTable, SearchIndexData } from '../index/index-data.ts';
import { prefixRange, textAt } from '../index/text-table.ts';
import { foldName, keyOf } from '../index/words/fold.ts';
import { selectPage } from './quickselect.ts';

const LABEL_KINDS = ['tag', 'author', 'category'] as const;

/** More than there are labels or skills. */
const SPAN = 2 ** 24;

/** The most popular skill of a name. */
interface SkillSuggestion {
  kind: 'skill';
  row: number;
}

/** A value and the number of skills that have it. */
interface LabelSuggestion {
  text: string;
  kind: (typeof LABEL_KINDS)[number];
  count: number;
}

export type Suggestion = SkillSuggestion | LabelSuggestion;

/** Suggests completions of a query. */
export class Suggester {
  readonly #data: SearchIndexData;
  readonly #keys: Float64Array;

  constructor(data: SearchIndexData) {
    this.#data = data;
    const { names, tags, authors, categories } = data;
    this.#keys = new Float64Array(
      Math.max(...[names, tags.keys, authors.keys, categories.keys].map((table) => table.offsets.length)),
    );
  }

  /**
   * Names that begin with `prefix`, most popular first, then tags, authors and categories by number of skills. A third
   * of the places is reserved for the latter, which also get those that names leave. Empty for an empty prefix.
   */
  suggest(prefix: string, limit: number): Suggestion[] {
    if (foldName(prefix) === '') return [];
    const labels = this.#labels(prefix, limit);
    const reserved = Math.min(labels.length, Math.floor(limit / 3));
    const skills = this.#skills(prefix, limit - reserved);
    return [...skills, ...labels.slice(0, limit - skills.length)];
  }

  #skills(prefix: string, limit: number): SkillSuggestion[] {
    const { names, nameOffsets, nameRows, popularity, listed } = this.#data;
    const { from, to } = prefixRange(names, foldName(prefix));
    let size = 0;
    for (let name = from; name < to; name++) {
      let at = nameOffsets[name]!;
      while (at < nameOffsets[name + 1]! && nameRows[at]! >= listed) at++;
      if (at === nameOffsets[name + 1]) continue;
      this.#keys[size++] = popularity.ranks[nameRows[at]!]! * SPAN + name;
    }
    // A skill may match by its name and by its display name.
    const keys = selectPage(this.#keys, size, 0, limit * 2);
    const rows = new Set(Array.from(keys, (key) => popularity.rows[Math.floor(key / SPAN)]!));
    return [...rows].slice(0, limit).map((row) => ({ kind: 'skill', row }));
  }

  #labels(prefix: string, limit: number): LabelSuggestion[] {
    const { tags, authors, categories } = this.#data;
    const key = keyOf(prefix.trimStart());
    return [tags, authors, categories]
      .flatMap((table, kind) => this.#top(table, key, limit, LABEL_KINDS[kind] as LabelSuggestion['kind']))
      .sort((a, b) => b.count - a.count)
      .slice(0, limit);
  }

  #top(
    { keys, listedCounts: counts, spellings }: LabelTable,
    prefix: string,
    limit: number,
    kind: LabelSuggestion['kind'],
  ) {
    const { from, to } = prefixRange(keys, prefix);
    let size = 0;
    for (let label = from; label < to; label++) {
      const count = counts[label]!;
      if (count > 0) this.#keys[size++] = (SPAN - count) * SPAN + label;
    }
    return Array.from(selectPage(this.#keys, size, 0, limit), (found): LabelSuggestion => {
      const label = found % SPAN;
      return { text: textAt(spellings, label), kind, count: counts[label]! };
    });
  }
}
