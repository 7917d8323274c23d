import { expect, test } from '@jest/globals';
import { type RegistrySkill, sourceOf } from '../src/registry.ts';

const COMMIT = 'c0ffee12'.repeat(5);
const sourceAt = (source: Partial<RegistrySkill['source']>) =>
  sourceOf(
    {
      id: 'a',
      name: 'a',
      kind: 'skill',
      source: { repo: null, path: null, ref: null, url: null, ...source },
    } as RegistrySkill,
    'https://fleet.example',
  );

test.each<[Partial<RegistrySkill['source']>, object]>([
  [
    { repo: 'o/r', path: 'a', ref: COMMIT, url: 'https://github.com/o/r/tree/main/a' },
    { ref: COMMIT, path: 'a' },
  ],
  [
    { repo: 'o/r', path: '.', ref: COMMIT },
    { ref: COMMIT, path: '' },
  ],
  [
    { repo: 'o/r', path: 'a', ref: COMMIT, url: 'https://gitlab.com/o/r/-/tree/main/a' },
    { ref: COMMIT, path: 'a' },
  ],
  [
    { repo: 'o/r', path: 'a', ref: 'v1', url: 'https://gitlab.com/o/r/-/tree/main/a' },
    { ref: 'main', path: 'a' },
  ],
])('the source of a skill at %j is pinned to its commit', (source, expected) => {
  expect(sourceAt(source)).toMatchObject(expected);
});
