import { expect, test } from '@jest/globals';
import { toRepresentation } from '../http/representation.ts';
import { categoryIdOf } from './category-ids.ts';
import type { Categories } from './contract.ts';

function bodyOf(categories: [id: string, name: string][]) {
  const listed: Categories = {
    categories: categories.map(([id, name]) => ({ id, name, description: null, count: 1 })),
    tags: [{ name: '],"tags":[', count: 1 }],
  };
  const identity = Buffer.from(JSON.stringify(listed));
  return toRepresentation({ digest: 'd', identity, gzip: identity, br: identity });
}

test('finds a category by its id before one of that name, in any case', () => {
  const body = bodyOf([
    ['tools', 'Dev'],
    ['dev', 'Tools'],
  ]);
  expect(['TOOLS', 'Dev', 'none'].map((given) => categoryIdOf(body, given))).toEqual(['tools', 'dev', 'none']);
});

test('finds a category whichever way the accents of its name are written, here and there', () => {
  const body = bodyOf([
    ['food', 'Caf\u00e9'],
    ['part', 'Ro\u0302le'],
  ]);
  const given = ['cafe\u0301', 'CAF\u00c9', 'r\u00f4le', 'RO\u0302LE'];
  expect(given.map((each) => categoryIdOf(body, each))).toEqual(['food', 'food', 'part', 'part']);
});
