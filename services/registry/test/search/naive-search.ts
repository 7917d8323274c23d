import type { SearchableSkill } from '../../src/index/index-writer.ts';
import { foldName, keyOf } from '../../src/index/words/fold.ts';
import { WordSplitter } from '../../src/index/words/word-splitter.ts';
import { type QueryWord, toQueryWords } from '../../src/search/query-words.ts';
import type { SearchQuery } from '../../src/search/search-query.ts';
import { isListed } from '../../src/skills/skill.ts';

/**
 * Returns the matching rows of all skills without an order of relevance, by comparing every word of each skill: the
 * reference for the search engine.
 */
export function findNaively(skills: readonly SearchableSkill[], query: SearchQuery): number[] {
  return matchText(skills, query.q?.trim() ?? '').filter((row) => passes(skills[row] as SearchableSkill, query));
}

function matchText(skills: readonly SearchableSkill[], text: string): number[] {
  const all = [...skills.keys()];
  if (text === '') return all;
  const words = toQueryWords(text);
  if (words.length === 0) {
    const named = skills.map(({ name, display_name }) => [name, display_name].map(foldName));
    return all.filter((row) => named[row]?.includes(foldName(text)));
  }
  const known = skills.map(wordsOfSkill);
  const isKnown = (word: QueryWord) => known.some((each) => hasWord(each, word, false));
  const find = (forgives: (word: QueryWord) => boolean) =>
    all.filter((row) => words.every((word) => hasWord(known[row] as Words, word, forgives(word))));
  const strict = find((word) => !isKnown(word));
  return strict.length > 0 ? strict : find(() => true);
}

interface Words {
  all: string[];
  /** Adjacent words of a name, joined. */
  joined: string[];
}

function wordsOfSkill({ name, display_name, tags, categories, author, source, description }: SearchableSkill): Words {
  const names = [name, display_name].map(wordsOf);
  const others = [...tags, ...categories, author, source.repo, description].map((text) => wordsOf(text ?? ''));
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

function hasWord({ all, joined }: Words, word: QueryWord, forgives: boolean): boolean {
  const fits = (known: string) =>
    word.text === known ||
    (word.matchesPrefixes && known.startsWith(word.text)) ||
    (forgives && word.allowsTypo && isTypo(word.text, known));
  return joined.includes(word.text) || all.some(fits);
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

function passes(skill: SearchableSkill, query: SearchQuery): boolean {
  const has = (values: (string | null)[], given: string | undefined) =>
    !given || values.some((value) => value !== null && keyOf(value) === keyOf(given));
  const time = skill.updated_at === null ? undefined : Date.parse(skill.updated_at);
  return (
    (query.kinds?.includes(skill.kind) ?? isListed(skill.kind)) &&
    has(skill.categories, query.category) &&
    has(skill.tags, query.tag) &&
    has([skill.author], query.author) &&
    has([skill.source.repo], query.repo) &&
    has([skill.license], query.license) &&
    (query.valid === undefined || query.valid === skill.valid) &&
    (query.updatedSince === undefined || (time !== undefined && time >= query.updatedSince))
  );
}
