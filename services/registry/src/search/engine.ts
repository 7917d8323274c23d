import type { SearchIndexData } from '../index/index-data.ts';
import { prefixRange } from '../index/text-table.ts';
import { foldName } from '../index/words/fold.ts';
import { FacetCounter } from './facet-counter.ts';
import { LabelRows } from './labels.ts';
import { Matcher } from './matcher.ts';
import { selectPage } from './quickselect.ts';
import { toQueryWords } from './query-words.ts';
import { Relevance } from './relevance.ts';
import { RowFilter } from './row-filter.ts';
import { type RowOrder, RowOrders } from './row-orders.ts';
import type { Found, SearchQuery } from './search-query.ts';
import { Suggester, type Suggestion } from './suggest.ts';
import { type Term, Terms } from './terms.ts';

/** A query of words, as the index knows them. */
interface Words {
  text: string;
  strict: Term[];
  lenient: () => Term[];
}

/** Searches one index. */
export class SearchEngine {
  readonly #data: SearchIndexData;
  readonly #terms: Terms;
  readonly #matcher: Matcher;
  readonly #labels: LabelRows;
  readonly #relevance: Relevance;
  readonly #orders: RowOrders;
  readonly #suggester: Suggester;
  readonly #keys: Float64Array;
  #facets: FacetCounter | undefined;

  constructor(data: SearchIndexData) {
    this.#data = data;
    this.#terms = new Terms(data);
    this.#matcher = new Matcher(data);
    this.#labels = new LabelRows(data);
    this.#relevance = new Relevance(data);
    this.#orders = new RowOrders(data);
    this.#suggester = new Suggester(data);
    this.#keys = new Float64Array(data.count);
  }

  /** Finds the skills that match `q` and pass all filters, and returns a page in the requested order. */
  find(query: SearchQuery): Found {
    const text = query.q?.trim() ?? '';
    const words = toQueryWords(text);
    const terms = words.map((word) => this.#terms.find(word));
    const lenient = () => words.map((word) => this.#terms.findLeniently(word));
    const count = this.#select(query, { text, strict: terms, lenient });
    const found: Found = { total: count, rows: this.#page(query, text, terms, count) };
    if (query.facets !== undefined) {
      this.#facets ??= new FacetCounter(this.#data);
      found.facetsJson = this.#facets.toJson(query.facets, this.#matcher.rows, count);
    }
    return found;
  }

  suggest(prefix: string, limit: number): Suggestion[] {
    return this.#suggester.suggest(prefix, limit);
  }

  /** Puts the rows that match first in the matcher; returns their number. */
  #select(query: SearchQuery, words: Words): number {
    const filter = new RowFilter(this.#data, query);
    if (filter.isImpossible) return 0;
    if (words.text === '') return this.#filterAll(filter);
    const least = Math.min(...words.strict.map(({ size }) => size));
    if (filter.rarest !== undefined && filter.rarest.count < least) {
      const count = this.#matcher.match(words.strict, words.strict.length, this.#filterAll(filter));
      if (count > 0) return count;
    }
    return this.#filter(filter, words.strict.length > 0 ? this.#match(words) : this.#matchName(words.text));
  }

  /** All words, else all words with typos, else most words. Filters do not change which of these it is. */
  #match({ strict, lenient }: Words): number {
    const { length } = strict;
    return (
      this.#matcher.match(strict, length) ||
      this.#matcher.match(lenient(), length) ||
      this.#matcher.match(strict, Math.ceil(length * LEAST_SHARE))
    );
  }

  /** A query without letters and digits has no words and matches only a name that equals it. */
  #matchName(text: string): number {
    const { names, nameOffsets, nameRows } = this.#data;
    const name = foldName(text);
    const { from, isExact } = prefixRange(names, name);
    if (name === '' || !isExact) return 0;
    const rows = nameRows.subarray(nameOffsets[from], nameOffsets[from + 1]);
    this.#matcher.rows.set(rows);
    return this.#matcher.take(rows.length);
  }

  /** Of the first `count` rows of the matcher, keeps those that pass. */
  #filter(filter: RowFilter, count: number): number {
    if (filter.isEmpty) return count;
    const { rows } = this.#matcher;
    let kept = 0;
    for (let at = 0; at < count; at++) {
      const row = rows[at] as number;
      if (filter.accepts(row)) rows[kept++] = row;
    }
    return kept;
  }

  /** Of all rows, keeps those that pass. */
  #filterAll(filter: RowFilter): number {
    const { rows } = this.#matcher;
    const { rarest } = filter;
    if (rarest !== undefined) {
      const candidates = this.#labels.of(rarest.field, rarest.label);
      rows.set(candidates);
      return this.#filter(filter, candidates.length);
    }
    for (let row = 0; row < this.#data.count; row++) rows[row] = row;
    return this.#filter(filter, this.#data.count);
  }

  #page(query: SearchQuery, text: string, terms: readonly Term[], count: number): Uint32Array {
    const from = query.skip;
    const to = query.limit === undefined ? count : Math.min(count, from + query.limit);
    if (from >= to) return new Uint32Array(0);
    const requested = query.sort ?? 'relevance';
    if (requested === 'relevance' && text !== '') {
      return this.#relevance.page(this.#matcher, count, text, terms, query.order === 'asc', from, to);
    }
    const field = requested === 'relevance' ? 'name' : requested;
    const isAscending = query.order === undefined ? field === 'name' : query.order === 'asc';
    return this.#pageInOrder(this.#orders.of(field, isAscending), count, from, to);
  }

  /** Reads the shorter of the matches and the order. */
  #pageInOrder({ rows, ranks }: RowOrder, count: number, from: number, to: number): Uint32Array {
    if (count === rows.length) return rows.slice(from, to);
    if (count < rows.length / 4) {
      for (let at = 0; at < count; at++) this.#keys[at] = ranks[this.#matcher.rows[at] as number] as number;
      return Uint32Array.from(selectPage(this.#keys, count, from, to), (rank) => rows[rank] as number);
    }
    this.#matcher.take(count);
    const page = new Uint32Array(to - from);
    for (let at = 0, matches = 0; matches < to; at++) {
      const row = rows[at] as number;
      if (this.#matcher.isMatch(row) && matches++ >= from) page[matches - 1 - from] = row;
    }
    return page;
  }
}

/** Share of the words that a skill needs where no skill has all of them. */
const LEAST_SHARE = 0.5;
