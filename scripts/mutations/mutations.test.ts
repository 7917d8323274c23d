import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { ROOT } from '../services.ts';
import type { Mutation } from './mutation.ts';
import { isLong, MUTATIONS } from './mutations.ts';

const namesOf = (found: readonly Mutation[]) => found.map(({ name }) => name);

test('there are 61 mutations with names of their own, and `npm test` must catch all but three', () => {
  expect(new Set(namesOf(MUTATIONS)).size).toBe(61);
  expect(MUTATIONS).toHaveLength(61);
  expect(namesOf(MUTATIONS.filter(({ tests }) => tests.every(isLong))).length).toBeLessThanOrEqual(3);
});

test('each mutation changes one place within a line', () => {
  const isWrong = ({ file, find, replace }: Mutation) =>
    readFileSync(join(ROOT, file), 'utf8').split(find).length !== 2 || `${find}${replace}`.includes('\n');
  expect(namesOf(MUTATIONS.filter(isWrong))).toEqual([]);
});

test('the tests of each mutation exist, and are all quick or all long', () => {
  const isWrong = ({ tests }: Mutation) =>
    new Set(tests.map(isLong)).size !== 1 || !tests.every((path) => existsSync(join(ROOT, path)));
  expect(namesOf(MUTATIONS.filter(isWrong))).toEqual([]);
});
