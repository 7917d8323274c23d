import { expect, test } from '@jest/globals';
import { findPage } from '../../src/serve/lists/list-page.ts';
import { servedOf } from '../support/served.ts';

const [COMPOSED, DECOMPOSED] = ['Caf\u00e9', 'Cafe\u0301'];

const served = servedOf({
  categories: [{ id: 'food', name: COMPOSED }],
  skills: [
    { id: 'a', name: 'a', category: DECOMPOSED, tags: [COMPOSED], author: DECOMPOSED },
    { id: 'b', name: 'b', category: 'food', tags: [DECOMPOSED.toUpperCase()], author: COMPOSED },
    { id: 'c', name: 'c', category: 'other', tags: ['cafe'], author: 'cafe' },
  ],
});

test('categories, tags and facets are counted in any normalization form', () => {
  const { categories, tags } = JSON.parse(served.categoriesJson.toString());
  expect(categories).toEqual([
    { id: 'food', name: COMPOSED, description: null, count: 2 },
    { id: 'other', name: 'other', description: null, count: 1 },
  ]);
  const values = [COMPOSED, 'cafe'];
  expect(tags).toEqual(values.map((name, at) => ({ name, count: 2 - at })));
  const { facetsJson = '' } = findPage(served, { skip: 0, facets: ['category', 'tag', 'author'] });
  expect(JSON.parse(facetsJson)).toEqual({
    category: ['food', 'other'].map((value, at) => ({ value, count: 2 - at })),
    tag: values.map((value, at) => ({ value, count: 2 - at })),
    author: [DECOMPOSED, 'cafe'].map((value, at) => ({ value, count: 2 - at })),
  });
});

test.each(['category', 'tag', 'author'])('a filter by %s matches in any normalization form', (filter) => {
  for (const value of [COMPOSED, DECOMPOSED, COMPOSED.toUpperCase(), DECOMPOSED.toUpperCase()]) {
    expect([...findPage(served, { skip: 0, [filter]: value }).rows]).toEqual([0, 1]);
  }
});
