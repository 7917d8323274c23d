import { stemmer } from 'stemmer';
import type { TextTable } from '../index/index-data.ts';
import { indexOfText, prefixRange } from '../index/text-table.ts';

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
