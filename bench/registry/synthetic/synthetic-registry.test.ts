import { createHash } from 'node:crypto';
import { expect, test } from '@jest/globals';
import { registryText, type SyntheticRegistry } from './synthetic-registry.ts';

const COUNT = 5_000;
const BASE: SyntheticRegistry = {
  seed: 7,
  count: COUNT,
  edition: 1,
  changes: { changed: 50, added: 20, removed: 10 },
};

interface Skill {
  name: string;
  repo: string;
  description?: string | null;
}

const partsOf = (given: Partial<SyntheticRegistry> = {}) => [...registryText({ ...BASE, ...given })];
const textOf = (given?: Partial<SyntheticRegistry>) => partsOf(given).join('');
const skillsOf = (given?: Partial<SyntheticRegistry>): Skill[] => JSON.parse(textOf(given)).skills;

const digestOf = (given?: Partial<SyntheticRegistry>) => createHash('sha256').update(textOf(given)).digest('hex');

// A deliberate change of the generator needs a new digest here, and new results.
test('has the same bytes as for earlier results, and others for another seed', () => {
  expect(digestOf()).toBe('bcdf3954bae4aeb50bdaa3bad137173ca4d2bfef90eeb439ad0467f7ed00080c');
  expect(digestOf({ seed: 8 })).not.toBe(digestOf());
});

test('has records of 500 to 550 bytes, their number, and chunks of bounded size', () => {
  const parts = partsOf();
  const document = JSON.parse(parts.join(''));
  expect([document.total_count, document.skills.length]).toEqual([COUNT, COUNT]);
  expect(Math.abs(Buffer.byteLength(parts.join('')) / COUNT - 525)).toBeLessThan(25);
  expect(parts.length).toBeGreaterThan(20);
  expect(Math.max(...parts.map((part) => part.length))).toBeLessThan(200_000);
});

test.each([2, 3])('edition %i changes, adds and removes the given numbers of records', (edition) => {
  const [before, after] = [edition - 1, edition].map((of) =>
    skillsOf({ edition: of }).map((one) => JSON.stringify(one)),
  );
  const countNew = (lines: string[] = [], others: string[] = []) =>
    lines.length - new Set(others).intersection(new Set(lines)).size;
  expect([countNew(before, after), countNew(after, before)]).toEqual([60, 70]);
});

test('a change keeps name and repository, and no change keeps the bytes of all records', () => {
  const of = (changed: number) => skillsOf({ edition: 2, changes: { changed, added: 0, removed: 0 } });
  const [first, second] = [skillsOf(), of(COUNT)];
  expect(second.map(({ name, repo }) => [name, repo])).toEqual(first.map(({ name, repo }) => [name, repo]));
  expect(second.filter(({ description }, at) => description === first[at]?.description)).toEqual([]);
  expect(of(0)).toEqual(first);
});
