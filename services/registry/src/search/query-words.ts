import { WordSplitter } from '../index/words/word-splitter.ts';

/** Further words of a query are ignored. */
const MAX_QUERY_WORDS = 16;
/** Shorter words match only as a whole, except the last one. */
const MIN_PREFIX = 3;
const MIN_TYPO = 4;

export interface QueryWord {
  text: string;
  /** Whether it also matches longer words that begin with it. */
  matchesPrefixes: boolean;
  /** Whether it may match words that differ by one letter. */
  allowsTypo: boolean;
}

/** The distinct words of a query in the order of their last occurrence: the last one may be half typed. */
export function toQueryWords(query: string): QueryWord[] {
  const grams = new Map<string, boolean>();
  let followsPair = false;
  new WordSplitter().split(query, {
    take(units, length, _hash, isGram) {
      if (grams.size === MAX_QUERY_WORDS) return;
      const text = String.fromCharCode(...units.subarray(0, length));
      const isEnd = isGram && isSingle(text);
      // The last character of a run after a bigram: single characters are searched only if the run has no other.
      const isNeedless = isEnd && followsPair;
      followsPair = isGram && !isEnd;
      if (isNeedless) return;
      grams.delete(text);
      grams.set(text, isGram);
    },
  });
  const last = grams.size - 1;
  return [...grams].map(([text, isGram], at) => ({
    text,
    matchesPrefixes: isGram ? isSingle(text) : at === last || text.length >= MIN_PREFIX,
    allowsTypo: !isGram && text.length >= MIN_TYPO,
  }));
}

function isSingle(text: string): boolean {
  return text.length === 1 || (text.length === 2 && (text.codePointAt(0) as number) > 0xffff);
}
