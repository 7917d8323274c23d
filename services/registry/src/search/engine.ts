import type { SearchIndexData } from '../index/index-data.ts';
import { prefixRange } from '../index/text-table.ts';
import { foldName } from '../index/words/fold.ts';
import { FacetCounter } from './facet-counter.ts';
import { LabelRows } from './label-rows.ts';
import { Matcher } from './matcher.ts';
import { type QueryWord, toQueryWords } from './query-words.ts';
import { selectPage } from './quickselect.ts';
import { Relevance } from './relevance.ts';
import { RowFilter } from './row-filter.ts';
import { type RowOrder, RowOrders } from './row-orders.ts';
import type { Found, SearchQuery } from './search-query.ts';
import { Suggester, type Suggestion } from './suggest.ts';
import { type Term, Terms } from './terms.ts';

/** Share of the weight of the known words that a skill needs where no skill has all words. */
const LEAST_SHARE = 0.26;
/** In longer queries most words are enough, and typos in known words are not forgiven. */
const MAX_FORGIVEN = 3;

/**
 * Searches one index. Its working memory is 20 bytes per skill and 8 per name. On first use it adds, per skill, 4 for
 * relevance, about 40 for facets, 8 for each requested order, about 4 per value of each filtered field, and 1 for each
 * of up to 64 frequent words.
 */
export class SearchEngine {
  readonly #data: SearchIndexData;
  readonly #terms: Terms;
  readonly #matcher: Matcher;
  readonly #labels: LabelRows;
  readonly #relevance: Relevance;
  readonly #orders: RowOrders;
  readonly #suggester: Suggester;
  readonly #keys: Float64Array;
  /** See `Ranking`. */
  #typoTiers = 0;
  #facets: FacetCounter | undefined;

  /** `trending`: the rows that come first in the order `trending`. */
  constructor(data: SearchIndexData, trending: Uint32Array = new Uint32Array()) {
    this.#data = data;
    this.#terms = new Terms(data);
    this.#matcher = new Matcher(data);
    this.#labels = new LabelRows(data);
    this.#keys = new Float64Array(data.count);
    this.#relevance = new Relevance(data, this.#keys);
    this.#orders = new RowOrders(data, trending);
    this.#suggester = new Suggester(data);
  }

  /** Finds the skills that match `q` and pass all filters, and returns a page in the requested order. */
  find(query: SearchQuery): Found {
    const text = query.q?.trim() ?? '';
    const words = toQueryWords(text);
    const terms = words.map((word) => this.#terms.find(word));
    const filter = new RowFilter(this.#data, query);
    const total = filter.isImpossible ? 0 : this.#select(text, words, terms, filter);
    const found: Found = { total, rows: this.#page(query, text, terms, total) };
    if (query.facets !== undefined) {
      this.#facets ??= new FacetCounter(this.#data);
      found.facetsJson = this.#facets.toJson(query.facets, this.#matcher.rows, total);
    }
    return found;
  }

  suggest(prefix: string, limit: number): Suggestion[] {
    return this.#suggester.suggest(prefix, limit);
  }

  /** Puts the rows that match first in the matcher; returns their number. */
  #select(text: string, words: QueryWord[], terms: Term[], filter: RowFilter): number {
    if (text === '') return this.#takeAll(filter);
    this.#typoTiers = 0;
    const count = this.#selectAmong(terms, filter);
    if (count > 0) return count;
    const matches = terms.length > 0 ? this.#match(words, terms, filter) : this.#matchName(text);
    return filter.isEmpty ? matches : this.#matcher.keep(matches, (row) => filter.accepts(row));
  }

  /** Searches the rows of the rarest filter if no word has fewer. Returns 0 if one has, or if nothing matches. */
  #selectAmong(terms: Term[], filter: RowFilter): number {
    const { rarest } = filter;
    if (rarest === undefined || terms.length === 0 || terms.some(({ size }) => size < rarest.count)) return 0;
    return this.#matcher.match(terms, this.#takeAll(filter));
  }

  /**
   * All words, else all words with typos, else most words. Of the filters, only that of kinds changes which of these it
   * is: by default, agents and the like are not found, and must not hide what is.
   */
  #match(words: QueryWord[], terms: Term[], filter: RowFilter): number {
    const ofKinds = (count: number) =>
      filter.hasAllKinds ? count : this.#matcher.keep(count, (row) => filter.isOfKind(row));
    const count = ofKinds(this.#matcher.match(terms));
    if (count > 0) return count;
    const forgiven = words.length > MAX_FORGIVEN ? [] : words.map((word) => this.#terms.findForgiving(word));
    const withTypos = ofKinds(this.#matcher.match(forgiven));
    this.#typoTiers = withTypos > 0 ? terms.length : Number(terms.some(({ isTypo }) => isTypo));
    if (withTypos > 0) return withTypos;
    const known = terms.filter(({ size }, at) => size > 0 && words[at]?.isGram === false);
    return this.#matcher.matchMost(known, LEAST_SHARE);
  }

  /** A query without letters and digits has no words and matches only a name that equals it. */
  #matchName(text: string): number {
    const { names, nameOffsets, nameRows } = this.#data;
    const name = foldName(text);
    const { from, isExact } = prefixRange(names, name);
    if (name === '' || !isExact) return 0;
    return this.#matcher.take(nameRows.subarray(nameOffsets[from], nameOffsets[from + 1]));
  }

  /** Takes all rows that pass the filter. */
  #takeAll(filter: RowFilter): number {
    const { rarest } = filter;
    if (rarest === undefined) return this.#matcher.takeAll((row) => filter.accepts(row));
    const count = this.#matcher.take(this.#labels.of(rarest.field, rarest.label));
    return filter.isRarestEnough ? count : this.#matcher.keep(count, (row) => filter.acceptsRarest(row));
  }

  #page(query: SearchQuery, text: string, terms: readonly Term[], total: number): Uint32Array {
    const from = query.skip;
    const to = query.limit === undefined ? total : Math.min(total, from + query.limit);
    if (from >= to) return new Uint32Array(0);
    const requested = query.sort ?? 'relevance';
    if (requested === 'relevance' && text !== '') {
      const ranking = { text, terms, isAscending: query.order === 'asc', typoTiers: this.#typoTiers };
      return this.#relevance.page(this.#matcher, total, ranking, from, to);
    }
    const field = requested === 'relevance' ? 'name' : requested;
    const isAscending = query.order === undefined ? field === 'name' : query.order === 'asc';
    return this.#pageInOrder(this.#orders.of(field, isAscending), total, from, to);
  }

  #pageInOrder({ rows, ranks }: RowOrder, total: number, from: number, to: number): Uint32Array {
    if (total === rows.length) return rows.slice(from, to);
    const matches = this.#matcher.rows;
    for (let at = 0; at < total; at++) this.#keys[at] = ranks[matches[at]!]!;
    return Uint32Array.from(selectPage(this.#keys, total, from, to), (rank) => rows[rank]!);
  }
}
