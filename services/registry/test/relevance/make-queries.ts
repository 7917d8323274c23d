/**
 * Makes `queries.json` from the real files: 40 queries of each kind, the same ones each time. Run it with node.
 *
 * Only queries that a person could expect to identify a skill: at most ten skills of its file have all the words (as they are before a
 * typo) anywhere; of exact names and typos, also no other skill of the file has the name. Words of a description are at most four, shuffled. No skill is wanted by two queries of a kind.
 */
import { writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import type { DraftSkill } from '../../src/skills/normalise.ts';
import { type FileName, KINDS, keyOf, type RelevanceQuery, readSkills } from './real-skills.ts';

const SEED = 20_260_201;
const MOST_SKILLS = 10;
/**
 * How many queries of each kind come from each file: `antigravity` has neither authors nor repositories, and the descriptions of `skillkit`
 * only repeat the names.
 */
const SHARES: Record<RelevanceQuery['kind'], Record<FileName, number>> = {
  name: { majiayu000: 15, skillkit: 17, antigravity: 8 },
  part: { majiayu000: 15, skillkit: 17, antigravity: 8 },
  typo: { majiayu000: 15, skillkit: 17, antigravity: 8 },
  description: { majiayu000: 28, skillkit: 0, antigravity: 12 },
  author: { majiayu000: 20, skillkit: 20, antigravity: 0 },
};

const LETTERS = 'abcdefghijklmnopqrstuvwxyz';

let state = SEED;

/** A whole number from 0 to below `end`. */
function draw(end: number): number {
  state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
  return Math.floor((state / 2 ** 32) * end);
}

const pick = <Item>(items: readonly Item[]): Item => items[draw(items.length)] as Item;

const wordsOf = (text: string | null): string[] => (text ?? '').toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];

class Skills {
  readonly all: DraftSkill[];
  readonly #words: Set<string>[];
  readonly #names = new Map<string, number>();

  constructor(file: FileName) {
    this.all = readSkills(file);
    this.#words = this.all.map(
      ({ name, display_name, description, tags, author, category, source }) =>
        new Set([name, display_name, description, author, category, source.repo, ...tags].flatMap(wordsOf)),
    );
    for (const { name } of this.all) {
      const key = wordsOf(name).join(' ');
      this.#names.set(key, (this.#names.get(key) ?? 0) + 1);
    }
  }

  identifies(words: readonly string[]): boolean {
    return this.#words.filter((known) => words.every((word) => known.has(word))).length <= MOST_SKILLS;
  }

  hasOwnName({ name }: DraftSkill): boolean {
    return this.#names.get(wordsOf(name).join(' ')) === 1;
  }
}

type Make = (skill: DraftSkill, skills: Skills) => string | undefined;

const MAKERS: Record<RelevanceQuery['kind'], Make> = {
  name: (skill, skills) => (skills.hasOwnName(skill) && wordsOf(skill.name).length > 0 ? skill.name : undefined),
  part(skill, skills) {
    const words = wordsOf(skill.name);
    if (words.length < 2) return undefined;
    const size = 1 + draw(Math.min(3, words.length - 1));
    const from = draw(words.length - size + 1);
    const part = words.slice(from, from + size);
    return skills.identifies(part) ? part.join(' ') : undefined;
  },
  typo(skill, skills) {
    const words = wordsOf(skill.name);
    const at = draw(words.length);
    const word = words[at] ?? '';
    if (!/^[a-z]{5,}$/.test(word) || !skills.hasOwnName(skill) || !skills.identifies(words)) return undefined;
    return words.with(at, misspell(word)).join('-');
  },
  description(skill, skills) {
    const words = [...new Set(wordsOf(skill.description).filter((word) => word.length >= 4))];
    if (words.length < 12) return undefined;
    const chosen = Array.from({ length: 3 + draw(2) }, () => words.splice(draw(words.length), 1)[0] as string);
    return skills.identifies(chosen) ? chosen.join(' ') : undefined;
  },
  author(skill, skills) {
    const words = [...wordsOf(skill.author), pick(wordsOf(skill.name)) ?? ''];
    return skill.author !== null && words.at(-1) !== '' && skills.identifies(words)
      ? `${skill.author} ${words.at(-1)}`
      : undefined;
  },
};

function misspell(word: string): string {
  const at = draw(word.length);
  const [before, here, after] = [word.slice(0, at), word.charAt(at), word.slice(at + 1)];
  const other = pick([...LETTERS].filter((letter) => letter !== here));
  const made = pick([
    before + after,
    before + other + after,
    before + other + here + after,
    before + after.charAt(0) + here + after.slice(1),
  ]);
  return made === word ? misspell(word) : made;
}

function makeQueries(): RelevanceQuery[] {
  const files: Record<FileName, Skills> = {
    majiayu000: new Skills('majiayu000'),
    skillkit: new Skills('skillkit'),
    antigravity: new Skills('antigravity'),
  };
  return KINDS.flatMap((kind) =>
    (Object.keys(files) as FileName[]).flatMap((file) => {
      const made = new Map<string, RelevanceQuery>();
      while (made.size < SHARES[kind][file]) {
        const skill = pick(files[file].all);
        const q = MAKERS[kind](skill, files[file]);
        if (q !== undefined) made.set(keyOf(skill), { kind, q, file, wanted: keyOf(skill) });
      }
      return [...made.values()];
    }),
  );
}

writeFileSync(resolve(import.meta.dirname, 'queries.json'), `${JSON.stringify(makeQueries(), null, 2)}\n`);
