import { type WordSink, WordSplitter } from './word-splitter.ts';

/** More words of a query are not used. */
const MAX_QUERY_WORDS = 16;
/** A shorter word that is not the last one is taken for whole. */
const MIN_PREFIX = 3;
const MIN_FORGIVEN = 4;

export interface QueryWord {
  text: string;
  /** Also words that begin with it fit. */
  fitsPrefixes: boolean;
  /** Where nothing fits, words that differ by one letter do. */
  forgivesTypo: boolean;
}

/** The words of a query, each once, in the order in which each is met last: the last one may be half typed. */
export function toQueryWords(query: string): QueryWord[] {
  const grams = new Map<string, boolean>();
  const sink: WordSink = {
    take(units, length, _hash, isGram) {
      if (grams.size === MAX_QUERY_WORDS) return;
      const text = String.fromCharCode(...units.subarray(0, length));
      grams.delete(text);
      grams.set(text, isGram);
    },
  };
  new WordSplitter().split(query, new WholeRuns(sink));
  const last = grams.size - 1;
  return [...grams].map(([text, isGram], at) => ({
    text,
    fitsPrefixes: isGram ? isSingle(text) : at === last || text.length >= MIN_PREFIX,
    forgivesTypo: !isGram && text.length >= MIN_FORGIVEN,
  }));
}

/**
 * Leaves out the last character of a run when its pair was there: only a run of one character is looked for by that.
 */
class WholeRuns implements WordSink {
  readonly #sink: WordSink;
  #hasPair = false;

  constructor(sink: WordSink) {
    this.#sink = sink;
  }

  take(units: Uint16Array, length: number, hash: number, isGram: boolean): void {
    const isEnd = isGram && isSingle(String.fromCharCode(...units.subarray(0, length)));
    if (!isEnd || !this.#hasPair) this.#sink.take(units, length, hash, isGram);
    this.#hasPair = isGram && !isEnd;
  }
}

function isSingle(text: string): boolean {
  return text.length === 1 || (text.length === 2 && (text.codePointAt(0) as number) > 0xffff);
}
