import type { SearchableSkill } from '../../src/search/index-writer.ts';
import type { FacetName, FacetValue, SearchQuery } from '../../src/search/search-query.ts';

const UNSPACED =
  '[\\p{scx=Han}\\p{scx=Hiragana}\\p{scx=Katakana}\\p{scx=Hangul}\\p{scx=Bopomofo}\\p{scx=Thai}\\p{scx=Lao}\\p{scx=Khmer}\\p{scx=Myanmar}]';
const RUN = new RegExp(`[[\\p{L}\\p{N}\\p{M}]--${UNSPACED}]+|[[\\p{L}\\p{N}\\p{M}]&&${UNSPACED}]+`, 'gv');
const IS_UNSPACED = new RegExp(`^${UNSPACED}+$`, 'v');
const POINTS: Record<string, number> = { name: 40, display: 32, joined: 32, tags: 24, label: 16, description: 8 };
const FIT = { exact: 7, prefix: 3, typo: 0 };

type Words = Map<string, Set<string>>;

function fold(text: string): string {
  const bare = text.normalize('NFKD').replace(/\p{Default_Ignorable_Code_Point}|[\u0300-\u036f]|[\u20d0-\u20ff]/gu, '');
  return bare.toLowerCase().normalize('NFC');
}

const keyOf = (label: string) => label.normalize('NFC').toLowerCase().normalize('NFC');

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

function wordsOfSkill(skill: SearchableSkill): Words {
  const words: Words = new Map();
  const add = (word: string, field: string) => words.set(word, (words.get(word) ?? new Set()).add(field));
  const addAll = (text: string | null, field: string) => {
    for (const word of wordsOf(text ?? '', true)) add(word, field);
  };
  for (const [text, field] of [
    [skill.name, 'name'],
    [skill.display_name, 'display'],
  ] as const) {
    addAll(text, field);
    const runs = runsOf(text);
    runs.slice(1).forEach((run, at) => {
      const pair = [runs[at] as string, run];
      if (pair.every((each) => !IS_UNSPACED.test(each)) && pair.join('').length <= 64) add(pair.join(''), 'joined');
    });
  }
  for (const tag of skill.tags) addAll(tag, 'tags');
  for (const text of [skill.category, skill.author, skill.source.repo]) addAll(text, 'label');
  addAll(skill.description, 'description');
  return words;
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

interface Match {
  row: number;
  tier: number;
  points: number;
}

/** Searches by looking at every word of every skill: what the engine is held against. */
export class NaiveSearch {
  readonly #skills: readonly SearchableSkill[];
  readonly #words: Words[];

  constructor(skills: readonly SearchableSkill[]) {
    this.#skills = skills;
    this.#words = skills.map(wordsOfSkill);
  }

  /** All rows that match, in order. */
  find(query: SearchQuery): number[] {
    const text = query.q?.trim() ?? '';
    const matches = this.#match(text).filter(({ row }) => this.#passes(this.#skills[row] as SearchableSkill, query));
    const sort = query.sort === undefined || query.sort === 'relevance' ? (text ? 'relevance' : 'name') : query.sort;
    const isAscending = query.order === undefined ? sort === 'name' : query.order === 'asc';
    return this.#sort(matches, sort, isAscending).map(({ row }) => row);
  }

  facet(name: FacetName, rows: number[]): FacetValue[] {
    const firstSpelling = new Map<string, string>();
    const counts = new Map<string, number>();
    for (const skill of this.#skills)
      for (const value of valuesOf(skill, name))
        if (!firstSpelling.has(keyOf(value))) firstSpelling.set(keyOf(value), value);
    for (const row of rows) {
      const keys = valuesOf(this.#skills[row] as SearchableSkill, name).map(keyOf);
      for (const key of new Set(keys)) counts.set(key, (counts.get(key) ?? 0) + 1);
    }
    return [...counts]
      .sort(([a, m], [b, n]) => n - m || (a < b ? -1 : 1))
      .slice(0, 100)
      .map(([key, count]) => ({ value: firstSpelling.get(key) as string, count }));
  }

  #match(text: string): Match[] {
    const all = this.#skills.map((_, row) => row);
    if (text === '') return all.map((row) => ({ row, tier: 0, points: 0 }));
    const words = queryWords(text);
    if (words.length === 0)
      return all.map((row) => this.#judge(row, text, [], () => false)).filter(({ tier }) => tier === 4);
    const fitsNothing = (word: QueryWord) =>
      this.#words.every((known) => [...known.keys()].every((each) => kindOf(word, each, false) === undefined));
    const strict = all.map((row) => this.#judge(row, text, words, fitsNothing)).filter(({ points }) => points > 0);
    return strict.length > 0
      ? strict
      : all.map((row) => this.#judge(row, text, words, () => true)).filter(({ points }) => points > 0);
  }

  #judge(row: number, text: string, words: QueryWord[], forgives: (word: QueryWord) => boolean): Match {
    const skill = this.#skills[row] as SearchableSkill;
    const fits = words.map((word) => bestFit(this.#words[row] as Words, word, forgives(word)));
    const points = fits.every((fit) => fit > 0) ? fits.reduce((sum, fit) => sum + fit, 0) : 0;
    const names = [foldName(skill.name), foldName(skill.display_name)];
    const name = foldName(text);
    if (name !== '' && names.includes(name)) return { row, tier: 4, points };
    if (names.some((each) => each.startsWith(name))) return { row, tier: 3, points };
    if (fits.some((fit) => fit < 32)) return { row, tier: 0, points };
    return { row, tier: new Set(wordsOf(skill.name, true)).size === words.length ? 2 : 1, points };
  }

  #passes(skill: SearchableSkill, query: SearchQuery): boolean {
    const is = (values: (string | null)[], asked: string | undefined) =>
      !asked || values.some((value) => value !== null && keyOf(value) === keyOf(asked));
    const time = skill.updated_at === null ? undefined : Date.parse(skill.updated_at);
    return (
      is([skill.category], query.category) &&
      is(skill.tags, query.tag) &&
      is([skill.author], query.author) &&
      is([skill.source.repo], query.repo) &&
      is([skill.license], query.license) &&
      (query.valid === undefined || query.valid === skill.valid) &&
      (query.updatedSince === undefined || (time !== undefined && time >= query.updatedSince))
    );
  }

  #sort(matches: Match[], sort: NonNullable<SearchQuery['sort']>, isAscending: boolean): Match[] {
    const sign = isAscending ? 1 : -1;
    const stars = (row: number) => this.#skills[row]?.stars ?? -1;
    const downloads = (row: number) => this.#skills[row]?.downloads ?? -1;
    if (sort === 'relevance') {
      const best = (a: Match, b: Match) =>
        b.tier - a.tier ||
        b.points - a.points ||
        stars(b.row) - stars(a.row) ||
        downloads(b.row) - downloads(a.row) ||
        a.row - b.row;
      return matches.toSorted((a, b) => -sign * best(a, b));
    }
    if (sort === 'name') return matches.toSorted((a, b) => sign * (a.row - b.row));
    const value = ({ row }: Match) => {
      const { updated_at, ...skill } = this.#skills[row] as SearchableSkill;
      return sort === 'updated' ? (updated_at === null ? null : Date.parse(updated_at)) : skill[sort];
    };
    const known = matches.filter((match) => value(match) !== null);
    const unknown = matches.filter((match) => value(match) === null);
    const byRow = (a: Match, b: Match) => a.row - b.row;
    return [
      ...known.sort((a, b) => sign * ((value(a) as number) - (value(b) as number)) || byRow(a, b)),
      ...unknown.sort(byRow),
    ];
  }
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

function kindOf(word: QueryWord, known: string, forgives: boolean): keyof typeof FIT | undefined {
  if (word.text === known) return 'exact';
  const isWhole = word.isGram ? [...word.text].length > 1 : !word.isLast && word.text.length < 3;
  if (!isWhole && known.startsWith(word.text)) return 'prefix';
  return forgives && !word.isGram && word.text.length >= 4 && isTypo(word.text, known) ? 'typo' : undefined;
}

function bestFit(words: Words, word: QueryWord, forgives: boolean): number {
  let best = 0;
  for (const [known, fields] of words) {
    const kind = kindOf(word, known, forgives);
    if (kind === undefined) continue;
    for (const field of fields) {
      if (field === 'joined' && kind !== 'exact') continue;
      best = Math.max(best, (POINTS[field] as number) + FIT[kind]);
    }
  }
  return best;
}

function valuesOf(skill: SearchableSkill, name: FacetName): string[] {
  if (name === 'tag') return skill.tags;
  if (name === 'valid') return [String(skill.valid)];
  const value = skill[name];
  return value === null ? [] : [value];
}
