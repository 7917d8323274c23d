import { stemmer } from 'stemmer';
import type { TextTable } from '../index/index-data.ts';
import { firstWhere, indexOfText, lengthAt, prefixRange, sizeOf } from '../index/text-table.ts';

/** English endings, also none. The stemmer decides which of them make another form of the same word. */
const ENDINGS = ['']
  .concat('e s es ed er ers ing ings ion ions ation ations y ies ied ying ize izes ized izing'.split(' '))
  .concat('ment ments or ors able al ally ly ful ness ic ical ive ible ibility ability ity'.split(' '));
const ENGLISH = /^[a-z]{3,}$/;

/** The other words of an ascending table, in order, with the stem of `word` (Porter, 1980) and an English ending. */
export function formsOf(words: TextTable, word: string): number[] {
  if (!ENGLISH.test(word)) return [];
  const stem = stemmer(word);
  // The stem of `query` and `queries` is `queri`.
  const base = sharedPrefix(stem.replace(/i$/, ''), word);
  if (base.length < 2) return [];
  const found = new Set<number>();
  // The second start has the letter that doubles in `planning`.
  for (const start of [base, base + base.at(-1)]) {
    const { from, to } = prefixRange(words, start);
    if (to - from === 1 && indexOfText(words, word, from, to) === from) continue;
    for (const ending of from < to ? ENDINGS : []) {
      const form = start + ending;
      const index = form === word ? -1 : indexOfText(words, form, from, to, start.length);
      if (index >= 0 && stemmer(form) === stem) found.add(index);
    }
  }
  return [...found].sort((a, b) => a - b);
}

/** The stem may end in a letter that the word lacks: `queri` of `query`. */
function sharedPrefix(a: string, b: string): string {
  let length = 0;
  while (length < a.length && a[length] === b[length]) length++;
  return a.slice(0, length);
}

/** Only letters before the scripts with thousands of characters are tried as replacements, which bounds the work. */
const LAST_LETTER = 0x2e7f;

/**
 * The words of an ascending table at an edit distance of one from `word` (Damerau, 1964): one letter inserted, deleted
 * or replaced, or two adjacent letters swapped.
 */
export function wordsOneEditAway(words: TextTable, word: string): number[] {
  const found = new Set<number>();
  const note = (text: string, from: number, to: number, shared: number) => {
    const index = indexOfText(words, text, from, to, shared);
    if (index >= 0) found.add(index);
  };
  let from = 0;
  let to = sizeOf(words);
  // All words from `from` up to `to` have the first `at` letters of `word`: the letter at `at` is the wrong one.
  for (let at = 0; at <= word.length && from < to; at++) {
    const [before, here, after] = [word.slice(0, at), word.slice(at, at + 1), word.slice(at + 1)];
    if (here !== '') note(before + after, from, to, at);
    if (after !== '') note(before + after.charAt(0) + here + after.slice(1), from, to, at);
    forEachLetter(words, at, from, to, (letter, first, end) => {
      if (letter === here) return;
      if (here !== '') note(before + letter + after, first, end, at + 1);
      note(before + letter + here + after, first, end, at + 1);
    });
    if (here !== '') ({ from, to } = prefixRange(words, before + here, from, to, at));
  }
  found.delete(indexOfText(words, word));
  return [...found].sort((a, b) => a - b);
}

/** Calls back with each letter that words of a range have at one position, and the range of these words. */
function forEachLetter(
  words: TextTable,
  at: number,
  from: number,
  to: number,
  take: (letter: string, first: number, end: number) => void,
): void {
  const letterAt = (index: number) => words.units[words.offsets[index]! + at]!;
  let first = firstWhere(from, to, (index) => lengthAt(words, index) > at);
  while (first < to) {
    const letter = letterAt(first);
    if (letter > LAST_LETTER) return;
    const end = firstWhere(first, to, (index) => letterAt(index) > letter);
    take(String.fromCharCode(letter), first, end);
    first = end;
  }
}
