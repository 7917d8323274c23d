import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect, test } from '@jest/globals';
import { openRegistry } from '../support/open-registry.ts';
import { FILES, type FileName, FOLDER, hasFiles } from './real-skills.ts';

/** A question as people ask it who know no name of a skill. */
interface Sentence {
  q: string;
  file: FileName;
  /** `name @ repository` of the skills with which they would be content; `*` is any repository, `-` is none. */
  wanted: string[];
}

interface FoundSkill {
  name: string;
  source: { repo: string | null };
}

const SENTENCES: Sentence[] = JSON.parse(readFileSync(resolve(import.meta.dirname, 'sentences.json'), 'utf8'));
const WANTED_IN_FIRST_TEN = 0.9;
const WANTED_IN_FIRST_THREE = 0.75;

test('there are 200 different sentences of 2 to 12 words', () => {
  expect(new Set(SENTENCES.map(({ q, file }) => `${file}: ${q}`)).size).toBe(200);
  expect(SENTENCES.filter(({ q }) => !/^\S+( \S+){1,11}$/.test(q))).toEqual([]);
});

if (hasFiles) {
  test('sentences find a wanted skill among the first ten and mostly among the first three', async () => {
    const ranks = await findRanks();
    const within = (last: number) => ranks.filter(({ rank }) => rank <= last).length / ranks.length;
    const [firstThree, firstTen] = [within(3), within(10)];
    console.log(`${ranks.length} sentences: first three ${percent(firstThree)}, first ten ${percent(firstTen)}`);
    console.log(
      `Not among the first three:\n${ranks
        .filter(({ rank }) => rank > 3)
        .map(toLine)
        .join('\n')}`,
    );
    expect(firstTen).toBeGreaterThanOrEqual(WANTED_IN_FIRST_TEN);
    expect(firstThree).toBeGreaterThanOrEqual(WANTED_IN_FIRST_THREE);
  }, 240_000);
} else console.warn(`No real registry files at ${FOLDER}: sentences are not measured (set REGISTRY_DATA_DIR)`);

type Ranked = Sentence & { rank: number };

/** The rank, from 1, of the first wanted skill for each sentence; `Infinity` beyond ten. */
async function findRanks(): Promise<Ranked[]> {
  const ranks: Ranked[] = [];
  for (const [file, sentences] of Map.groupBy(SENTENCES, (sentence) => sentence.file)) {
    const { http, close } = await openRegistry({ source: pathToFileURL(resolve(FOLDER, FILES[file])).href });
    for (const sentence of sentences) {
      const query = new URLSearchParams({ q: sentence.q, limit: '10', fields: 'name,source' });
      const found: FoundSkill[] = (await http.get(`/api/skills?${query}`).expect(200)).body;
      const at = found.findIndex((skill) => sentence.wanted.some((wanted) => isWanted(skill, wanted)));
      ranks.push({ ...sentence, rank: at < 0 ? Number.POSITIVE_INFINITY : at + 1 });
    }
    await close();
  }
  return ranks;
}

/** A marketplace that is read from disk does not know its repository: then the name is enough. */
function isWanted({ name, source: { repo } }: FoundSkill, wanted: string): boolean {
  const [wantedName, wantedRepo] = wanted.split(' @ ');
  return name === wantedName && (repo === null || wantedRepo === '*' || repo === wantedRepo);
}

const percent = (share: number) => `${(share * 100).toFixed(1)} %`;

const toLine = ({ rank, file, q }: Ranked) => `${Number.isFinite(rank) ? rank : '-'} ${file}: ${q}`;
