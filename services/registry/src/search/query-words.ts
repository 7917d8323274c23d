import { spellQuery } from '../index/words/technical-names.ts';
import { WordSplitter } from '../index/words/word-splitter.ts';

/** Words of questions that say nothing about a skill. */
const STOP_WORDS: ReadonlySet<string> = new Set(
  `a about am an and any are as at be been being but by can could d did do does doing for from get gets getting give had
  has have having help helps helping here how i if in into is it its just let lets like ll looking m make makes me my need
  needs of on or our out please s should so some someone something t that the their them there these they thing things
  this those to up us ve want wants was way ways we were what when where which while who whose will with would you your`.split(
    /\s+/,
  ),
);

/** Words that say nothing before a stop word: "a skill that…", "tools for…". */
const GENERIC: ReadonlySet<string> = new Set(['skill', 'skills', 'tool', 'tools', 'plugin', 'plugins']);

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
