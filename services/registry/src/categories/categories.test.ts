import { expect, test } from '@jest/globals';
import { CategoryCount } from './categories.ts';

const declared = (id: string, name = id, description: string | null = null) => ({ id, name, description });

test('the categories of a snapshot are one in any case, by id or name, in the spelling met first', () => {
  const count = new CategoryCount([declared('code-quality', 'Code quality')]);
  expect(['CODE-quality', 'code QUALITY', 'Other', 'OTHER'].map((given) => count.addCategory(given))).toEqual([
    'code-quality',
    'code-quality',
    'Other',
    'Other',
  ]);
  expect(count.counts).toEqual({ categories: 2, tags: 0 });
});

test('the categories of a snapshot are one whichever way their accents are written', () => {
  const count = new CategoryCount([declared('food', 'Caf\u00e9 life')]);
  const given = ['CAFE\u0301 life', 'Caf\u00e9 life', 'Ro\u0302le', 'R\u00f4le'];
  expect(given.map((each) => count.addCategory(each))).toEqual(['food', 'food', 'Ro\u0302le', 'Ro\u0302le']);
  expect(count.list().categories.map(({ id, count }) => [id, count])).toEqual([
    ['Ro\u0302le', 2],
    ['food', 2],
  ]);
});

test('the categories of a snapshot keep their id when a later file declares them', () => {
  const count = new CategoryCount();
  expect(count.addCategory('Code Quality')).toBe('Code Quality');
  count.declare([declared('code-quality', 'Code quality', 'All of it')]);
  expect(count.addCategory('code-quality')).toBe('Code Quality');
  expect(count.list().categories).toEqual([
    { id: 'Code Quality', name: 'Code quality', description: 'All of it', count: 2 },
  ]);
});

test('the categories of a snapshot stay two where one file declares two, though one is named as the other', () => {
  const count = new CategoryCount([declared('tools'), declared('dev', 'tools')]);
  expect(['Tools', 'Dev'].map((given) => count.addCategory(given))).toEqual(['tools', 'dev']);
});

test('the categories of a snapshot stay two also where an earlier file has declared one of them', () => {
  const count = new CategoryCount([declared('tools', 'Tools')]);
  count.declare([declared('tools'), declared('dev', 'tools', 'Dev things')]);
  expect(['Tools', 'Dev'].map((given) => count.addCategory(given))).toEqual(['tools', 'dev']);
  expect(count.list().categories).toMatchObject([
    { id: 'dev', description: 'Dev things' },
    { id: 'tools', description: null },
  ]);
});

test('the tags of a snapshot are one in any case, whichever way their accents are written', () => {
  const count = new CategoryCount();
  for (const tag of ['Caf\u00e9', 'Cafe\u0301', 'CAFE\u0301', 'cafe']) count.addTag(tag);
  expect(count.list().tags).toEqual([
    { name: 'Caf\u00e9', count: 3 },
    { name: 'cafe', count: 1 },
  ]);
  expect(count.counts.tags).toBe(2);
});

test('the tags of a snapshot are listed, the most used first, up to ten thousand', () => {
  const count = new CategoryCount();
  for (let at = 0; at < 10_001; at++) count.addTag(`tag ${at}`);
  count.addTag('TAG 10000');
  const { tags } = count.list();
  expect(tags).toHaveLength(10_000);
  expect(tags[0]).toEqual({ name: 'tag 10000', count: 2 });
  expect(count.counts.tags).toBe(10_001);
});
