import { stemmer } from 'stemmer';
import type { SearchableSkill } from '../../src/index/index-writer.ts';
import { foldName, keyOf } from '../../src/index/words/fold.ts';
import { spellSigns, spellText } from '../../src/index/words/technical-names.ts';
import { WordSplitter } from '../../src/index/words/word-splitter.ts';
import { type QueryWord, toQueryWords } from '../../src/search/query-words.ts';
import type { SearchQuery } from '../../src/search/search-query.ts';
import { isListed } from '../../src/skills/skill.ts';

/**
 * Returns the matching rows of all skills without an order of relevance, by comparing every word of each skill: the
 * reference for the search engine.
 */
export function findNaively(skills: readonly SearchableSkill[], query: SearchQuery): number[] {
  const isOfKind = (row: number) => hasKind(skills[row] as SearchableSkill, query);
  return matchText(skills, query.q?.trim() ?? '', isOfKind).filter((row) =>
    passes(skills[row] as SearchableSkill, query),
  );
}

function matchText(skills: readonly SearchableSkill[], text: string, isOfKind: (row: number) => boolean): number[] {
  const all = [...skills.keys()];
  if (text === '') return all;
  const known = skills.map(wordsOfSkill);
  const words = toQueryWords(text).map((word) => ({
    ...word,
    // A single letter that is a word of a skill matches only as a whole.
    matchesPrefixes:
      word.matchesPrefixes && !(/^\w$/.test(word.text) && known.some(({ all: of }) => of.includes(word.text))),
  }));
  if (words.length === 0) {
    const named = skills.map(({ name, display_name }) => [name, display_name].map(foldName));
    return all.filter((row) => named[row]?.includes(foldName(text)));
  }
  const isKnown = (word: QueryWord) => known.some((each) => hasWord(each, word, false));
  const rowsOf = (word: QueryWord, forgives: boolean) =>
    new Set(all.filter((row) => hasWord(known[row] as Words, word, forgives)));
  const strict = words.map((word) => rowsOf(word, !isKnown(word)));
  const forgiving = words.length > 3 ? [new Set<number>()] : words.map((word) => rowsOf(word, true));
  for (const sets of [strict, forgiving]) {
    const rows = all.filter((row) => isOfKind(row) && sets.every((set) => set.has(row)));
    if (rows.length > 0) return rows;
  }
  // Most words are enough: a quarter of the weight of all words that are in any skill.
  const weights = words.map((word, at) => (strict[at]?.size === 0 || word.isGram ? 0 : weightOf(word, known)));
  const sum = (row?: number) =>
    weights.reduce((total, weight, at) => (row === undefined || strict[at]?.has(row) ? total + weight : total), 0);
  return all.filter((row) => sum(row) > 0 && sum(row) >= sum() * 0.26);
}

/** From the number of times that the word or a form of it is in a skill, else longer words or words with a typo. */
function weightOf(word: QueryWord, known: readonly Words[]): number {
  const count = (fits: (text: string) => boolean, joined = false) =>
    known.reduce((sum, each) => sum + new Set([...each.all, ...(joined ? each.joined : [])].filter(fits)).size, 0);
  const frequency =
    count((text) => text === word.text, true) + count((text) => isForm(word, text)) ||
    count((text) => isPrefix(word, text)) ||
    count((text) => isTypo(word.text, text));
  return Math.round(16 * Math.log2(1 + known.length / Math.max(frequency, 1)));
}

interface Words {
  all: string[];
  /** Adjacent words of a name, joined. */
  joined: string[];
}

function wordsOfSkill({ name, display_name, tags, categories, author, source, description }: SearchableSkill): Words {
  const names = [name, display_name].map((text) => wordsOf(spellSigns(text)));
  const others = [...tags, ...categories, author, source.repo, description].map((text) =>
    wordsOf(spellText(text ?? '')),
  );
  const joined = names.flatMap((words) => words.joined).filter((word) => word.length <= 64);
  return { all: [...names, ...others].flatMap((words) => words.all), joined };
}

function wordsOf(text: string): Words {
  const words: Words = { all: [], joined: [] };
  let before = '';
  const take = (units: Uint16Array, length: number, _hash: number, isGram: boolean) => {
    const word = String.fromCharCode(...units.subarray(0, length));
    words.all.push(word);
    if (before !== '' && !isGram) words.joined.push(before + word);
    before = isGram ? '' : word;
  };
  new WordSplitter().split(text, { take });
  return words;
}

function hasWord(words: Words, word: QueryWord, forgives: boolean): boolean {
  const fits = (known: string) =>
    word.text === known ||
    isForm(word, known) ||
    isPrefix(word, known) ||
    (forgives && word.allowsVariants && isTypo(word.text, known));
  return words.joined.includes(word.text) || words.all.some(fits);
}

/** Whether two English words have the same stem. */
function isForm({ text, allowsVariants }: QueryWord, known: string): boolean {
  const isEnglish = /^[a-z]{3,}$/.test(text) && /^[a-z]+$/.test(known);
  return allowsVariants && isEnglish && text !== known && stemmer(text) === stemmer(known);
}

function isPrefix({ text, matchesPrefixes }: QueryWord, known: string): boolean {
  return matchesPrefixes && text !== known && known.startsWith(text);
}

/** Whether one letter is inserted, missing or wrong, or two adjacent letters are swapped. */
function isTypo(a: string, b: string): boolean {
  if (a === b || Math.abs(a.length - b.length) > 1) return false;
  let at = 0;
  while (at < a.length && a[at] === b[at]) at++;
  const [left, right] = [a.slice(at), b.slice(at)];
  const isSwapped = left[0] === right[1] && left[1] === right[0] && left.slice(2) === right.slice(2);
  return isSwapped || left.slice(1) === right.slice(1) || left.slice(1) === right || left === right.slice(1);
}

function hasKind({ kind }: SearchableSkill, { kinds }: SearchQuery): boolean {
  return kinds?.includes(kind) ?? isListed(kind);
}

function passes(skill: SearchableSkill, query: SearchQuery): boolean {
  const has = (values: (string | null)[], given: string | undefined) =>
    !given || values.some((value) => value !== null && keyOf(value) === keyOf(given));
  const time = skill.updated_at === null ? undefined : Date.parse(skill.updated_at);
  return (
    hasKind(skill, query) &&
    has(skill.categories, query.category) &&
    has(skill.tags, query.tag) &&
    has([skill.author], query.author) &&
    has([skill.source.repo], query.repo) &&
    has([skill.license], query.license) &&
    (query.valid === undefined || query.valid === skill.valid) &&
    (query.updatedSince === undefined || (time !== undefined && time >= query.updatedSince))
  );
}
