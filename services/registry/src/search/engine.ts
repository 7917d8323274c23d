import type { SearchIndexData } from '../index/index-data.ts';
import { prefixRange } from '../index/text-table.ts';
import { foldName } from '../index/words/fold.ts';
import { FacetCounter } from './facet-counter.ts';
import { Matcher } from './matcher.ts';
import { type QueryWord, toQueryWords } from './query-words.ts';
import { Relevance } from './relevance.ts';
import { RowFilter } from './row-filter.ts';
import { RowOrders } from './row-orders.ts';
import type { Found, SearchQuery } from './search-query.ts';
import { Suggester, type Suggestion } from './suggest.ts';

/**
 * Searches one index. Its working memory, reused by each query, is 24 bytes per skill, 8 per name, 16 per label of the
 * largest field, and 4 per skill for each requested order that is not in the index.
 */
export class SearchEngine {
  readonly #data: SearchIndexData;
  readonly #matcher: Matcher;
  readonly #relevance: Relevance;
  readonly #orders: RowOrders;
  readonly #facets: FacetCounter;
  readonly #suggester: Suggester;

  /** `trending`: the rows that come first in the order `trending`. */
  constructor(data: SearchIndexData, trending: Uint32Array = new Uint32Array()) {
    this.#data = data;
    this.#matcher = new Matcher(data);
    this.#relevance = new Relevance(data);
    this.#orders = new RowOrders(data, trending);
    this.#facets = new FacetCounter(data);
    this.#suggester = new Suggester(data);
  }

  /** Finds the skills that match all words of `q` and all filters, and returns a page in the requested order. */
  find(query: SearchQuery): Found {
    const text = query.q?.trim() ?? '';
    const words = toQueryWords(text);
    const count = this.#filter(query, this.#match(text, words));
    const found: Found = { total: count, rows: this.#page(query, text, words.length, count) };
    if (query.facets !== undefined) {
      found.facets = {};
      for (const name of query.facets) found.facets[name] = this.#facets.count(name, this.#matcher.rows, count);
    }
    return found;
  }

  suggest(prefix: string, limit: number): Suggestion[] {
    return this.#suggester.suggest(prefix, limit);
  }

  /** The number of rows that match `q`; undefined if it is empty and all rows match. */
  #match(text: string, words: QueryWord[]): number | undefined {
    if (text === '') return undefined;
    return words.length > 0 ? this.#matcher.match(words) : this.#matchName(text);
  }

  /** A query without letters and digits has no words and matches only a name that equals it. */
  #matchName(text: string): number {
    const { names, nameOffsets, nameRows } = this.#data;
    const name = foldName(text);
    const { from, isExact } = prefixRange(names, name);
    if (name === '' || !isExact) return 0;
    const rows = nameRows.subarray(nameOffsets[from], nameOffsets[from + 1]);
    return this.#matcher.take(rows);
  }

  #filter(query: SearchQuery, matched: number | undefined): number {
    const filter = new RowFilter(this.#data, query);
    if (filter.isImpossible) return 0;
    const { rows } = this.#matcher;
    if (filter.isEmpty && matched !== undefined) return matched;
    const size = matched ?? this.#data.count;
    let count = 0;
    for (let at = 0; at < size; at++) {
      const row = matched === undefined ? at : (rows[at] as number);
      if (filter.isEmpty || filter.accepts(row)) rows[count++] = row;
    }
    return count;
  }

  #page(query: SearchQuery, text: string, words: number, count: number): Uint32Array {
    const from = query.skip;
    const to = query.limit === undefined ? count : Math.min(count, from + query.limit);
    if (from >= to) return new Uint32Array(0);
    const requested = query.sort ?? 'relevance';
    if (requested === 'relevance' && text !== '') {
      return this.#relevance.page(this.#matcher, count, text, words, query.order === 'asc', from, to);
    }
    const field = requested === 'relevance' ? 'name' : requested;
    const isAscending = query.order === undefined ? field === 'name' : query.order === 'asc';
    return this.#pageInOrder(this.#orders.of(field, isAscending), count, from, to);
  }

  #pageInOrder(order: Uint32Array, count: number, from: number, to: number): Uint32Array {
    if (count === order.length) return order.slice(from, to);
    this.#matcher.replaceMatches(count);
    const page = new Uint32Array(to - from);
    for (let at = 0, matches = 0; matches < to; at++) {
      const row = order[at] as number;
      if (this.#matcher.isMatch(row) && matches++ >= from) page[matches - 1 - from] = row;
    }
    return page;
  }
}
