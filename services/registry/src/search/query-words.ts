import { spellQuery } from '../index/words/technical-names.ts';
import { WordSplitter } from '../index/words/word-splitter.ts';
import { GENERIC, STOP_WORDS } from './stop-words.ts';

/** Further words of a query are ignored. */
const MAX_QUERY_WORDS = 16;
/** Shorter words match only as a whole, except the last one. */
const MIN_PREFIX = 3;
const MIN_VARIANTS = 4;

export interface QueryWord {
  text: string;
  /** Whether it is a part of a word in a script without spaces. */
  isGram: boolean;
  /** Whether it also matches longer words that begin with it. */
  matchesPrefixes: boolean;
  /** Whether it may match other forms of the word, and words that differ by one letter. */
  allowsVariants: boolean;
}

type Token = Pick<QueryWord, 'text' | 'isGram'>;

/**
 * The distinct words of a query in the order of their last occurrence: the last one may be half typed. Stop words count
 * only in a query that has no other words.
 */
export function toQueryWords(query: string): QueryWord[] {
  const tokens = split(query);
  const telling = tokens.filter(({ text }, at) => !isStopWord(text, tokens[at + 1]?.text));
  const words = new Map<string, Token>();
  for (const token of telling.length > 0 ? telling : tokens) {
    if (words.size === MAX_QUERY_WORDS) break;
    words.delete(token.text);
    words.set(token.text, token);
  }
  const last = words.size - 1;
  return Array.from(words.values(), ({ text, isGram }, at) => ({
    text,
    isGram,
    matchesPrefixes: isGram ? isSingle(text) : at === last || text.length >= MIN_PREFIX,
    allowsVariants: !isGram && text.length >= MIN_VARIANTS,
  }));
}

function split(query: string): Token[] {
  const tokens: Token[] = [];
  let followsPair = false;
  new WordSplitter().split(spellQuery(query), {
    take(units, length, _hash, isGram) {
      const text = String.fromCharCode(...units.subarray(0, length));
      const isEnd = isGram && isSingle(text);
      // The last character of a run after a bigram: single characters are searched only if the run has no other.
      if (!isEnd || !followsPair) tokens.push({ text, isGram });
      followsPair = isGram && !isEnd;
    },
  });
  return tokens;
}

function isStopWord(text: string, next: string | undefined): boolean {
  return STOP_WORDS.has(text) || (GENERIC.has(text) && next !== undefined && STOP_WORDS.has(next));
}

function isSingle(text: string): boolean {
  return text.length === 1 || (text.length === 2 && text.codePointAt(0)! > 0xffff);
}
