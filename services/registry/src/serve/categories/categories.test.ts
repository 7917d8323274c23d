import { expect, test } from '@jest/globals';
import { CategoryCount } from './categories.ts';

const declared = (id: string, name = id, description: string | null = null) => ({ id, name, description });

test('a category keeps its id when a later file declares it', () => {
  const count = new CategoryCount();
  expect(count.addCategory('Code Quality')).toBe('Code Quality');
  count.declare([declared('code-quality', 'Code quality', 'All of it')]);
  expect(count.addCategory('code-quality')).toBe('Code Quality');
  expect(count.list().categories).toEqual([
    { id: 'Code Quality', name: 'Code quality', description: 'All of it', count: 2 },
  ]);
});

test.each([
  ['alone', []],
  ['after a file that declares one of them', [declared('tools', 'Tools')]],
])('two categories of one file stay two where one has the name of the other: %s', (_when, earlier) => {
  const count = new CategoryCount();
  count.declare(earlier);
  count.declare([declared('tools'), declared('dev', 'tools', 'Dev things')]);
  expect(['Tools', 'Dev'].map((given) => count.addCategory(given))).toEqual(['tools', 'dev']);
  expect(count.list().categories).toMatchObject([
    { id: 'dev', description: 'Dev things' },
    { id: 'tools', description: null },
  ]);
});

test('the list of tags has the ten thousand most used, and all are counted', () => {
  const count = new CategoryCount();
  for (let at = 0; at < 10_001; at++) count.addTag(`tag ${at}`);
  count.addTag('TAG 10000');
  const { tags } = count.list();
  expect(tags).toHaveLength(10_000);
  expect(tags[0]).toEqual({ name: 'tag 10000', count: 2 });
  expect(count.counts.tags).toBe(10_001);
});
