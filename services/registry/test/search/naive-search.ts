import type { SearchableSkill } from '../../src/search/index-writer.ts';
import type { FacetName, SearchQuery } from '../../src/search/search-query.ts';

const UNSPACED =
  '[\\p{scx=Han}\\p{scx=Hiragana}\\p{scx=Katakana}\\p{scx=Hangul}\\p{scx=Bopomofo}\\p{scx=Thai}\\p{scx=Lao}\\p{scx=Khmer}\\p{scx=Myanmar}]';
const RUN = new RegExp(`[[\\p{L}\\p{N}\\p{M}]--${UNSPACED}]+|[[\\p{L}\\p{N}\\p{M}]&&${UNSPACED}]+`, 'gv');
const IS_UNSPACED = new RegExp(`^${UNSPACED}+$`, 'v');
function fold(text: string): string {
  const bare = text.normalize('NFKD').replace(/\p{Default_Ignorable_Code_Point}|[\u0300-\u036f]|[\u20d0-\u20ff]/gu, '');
  return bare.toLowerCase().normalize('NFC');
}

/** What labels are compared by. */
export const keyOf = (label: string) => label.normalize('NFC').toLowerCase().normalize('NFC');

const foldName = (text: string) =>
  fold(text)
    .split(/[\s_-]+/)
    .filter(Boolean)
    .join(' ');
const runsOf = (text: string) => fold(text).match(RUN) ?? [];

function wordsOf(text: string, endsRuns: boolean): string[] {
  return runsOf(text).flatMap((run) => {
    if (!IS_UNSPACED.test(run)) return [run.slice(0, 64)];
    const characters = [...run];
    const pairs = characters.slice(1).map((next, at) => `${characters[at]}${next}`);
    return endsRuns || pairs.length === 0 ? [...pairs, characters.at(-1) as string] : pairs;
  });
}

interface Words {
  all: Set<string>;
  /** Pairs of words of a name, written as one. */
  joined: Set<string>;
}

function wordsOfSkill(skill: SearchableSkill): Words {
  const { name, display_name, description, tags, category, author, source } = skill;
  const texts = [name, display_name, description, ...tags, category, author, source.repo];
  const joined = [name, display_name].flatMap((text) => {
    const runs = runsOf(text);
    const pairs = runs.slice(1).map((run, at) => [runs[at] as string, run]);
    return pairs.filter((pair) => !pair.some((run) => IS_UNSPACED.test(run))).map((pair) => pair.join(''));
  });
  return {
    all: new Set(texts.flatMap((text) => wordsOf(text ?? '', true))),
    joined: new Set(joined.filter((word) => word.length <= 64)),
  };
}

/** One letter too many, too few or another one, or two neighbours swapped. */
function isTypo(a: string, b: string): boolean {
  if (a === b || Math.abs(a.length - b.length) > 1) return false;
  let at = 0;
  while (at < a.length && a[at] === b[at]) at++;
  const [left, right] = [a.slice(at), b.slice(at)];
  const isSwapped = left[0] === right[1] && left[1] === right[0] && left.slice(2) === right.slice(2);
  return isSwapped || left.slice(1) === right.slice(1) || left.slice(1) === right || left === right.slice(1);
}

/** Finds skills by looking at every word of each: what the search engine is compared with. */
export class NaiveSearch {
  readonly #skills: readonly SearchableSkill[];
  readonly #words: Words[];

  constructor(skills: readonly SearchableSkill[]) {
    this.#skills = skills;
    this.#words = skills.map(wordsOfSkill);
  }

  /** All rows that match, in no order of relevance. */
  find(query: SearchQuery): number[] {
    return this.#match(query.q?.trim() ?? '').filter((row) => passes(this.#skills[row] as SearchableSkill, query));
  }

  #match(text: string): number[] {
    const all = [...this.#skills.keys()];
    if (text === '') return all;
    const words = queryWords(text);
    if (words.length === 0) {
      const isNamed = ({ name, display_name }: SearchableSkill) =>
        [name, display_name].some((each) => foldName(each) === foldName(text));
      return all.filter((row) => isNamed(this.#skills[row] as SearchableSkill));
    }
    const fitsNothing = (word: QueryWord) => this.#words.every((known) => !hasWord(known, word, false));
    const matches = (forgives: (word: QueryWord) => boolean) =>
      all.filter((row) => words.every((word) => hasWord(this.#words[row] as Words, word, forgives(word))));
    const strict = matches(fitsNothing);
    return strict.length > 0 ? strict : matches(() => true);
  }
}

function passes(skill: SearchableSkill, query: SearchQuery): boolean {
  const has = (values: (string | null)[], given: string | undefined) =>
    !given || values.some((value) => value !== null && keyOf(value) === keyOf(given));
  const time = skill.updated_at === null ? undefined : Date.parse(skill.updated_at);
  return (
    has([skill.category], query.category) &&
    has(skill.tags, query.tag) &&
    has([skill.author], query.author) &&
    has([skill.source.repo], query.repo) &&
    has([skill.license], query.license) &&
    (query.valid === undefined || query.valid === skill.valid) &&
    (query.updatedSince === undefined || (time !== undefined && time >= query.updatedSince))
  );
}

interface QueryWord {
  text: string;
  isGram: boolean;
  isLast: boolean;
}

function queryWords(text: string): QueryWord[] {
  let words: string[] = [];
  for (const word of wordsOf(text, false))
    if (words.length < 16) words = [...words.filter((each) => each !== word), word];
  return words.map((word, at) => ({ text: word, isGram: IS_UNSPACED.test(word), isLast: at === words.length - 1 }));
}

function hasWord({ all, joined }: Words, word: QueryWord, forgives: boolean): boolean {
  return joined.has(word.text) || [...all].some((known) => fits(word, known, forgives));
}

function fits(word: QueryWord, known: string, forgives: boolean): boolean {
  if (word.text === known) return true;
  const isWhole = word.isGram ? [...word.text].length > 1 : !word.isLast && word.text.length < 3;
  if (!isWhole && known.startsWith(word.text)) return true;
  return forgives && !word.isGram && word.text.length >= 4 && isTypo(word.text, known);
}

export function valuesOf(skill: SearchableSkill, name: FacetName): string[] {
  if (name === 'tag') return skill.tags;
  if (name === 'valid') return [String(skill.valid)];
  const value = skill[name];
  return value === null ? [] : [value];
}
