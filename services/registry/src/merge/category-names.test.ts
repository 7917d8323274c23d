import { expect, test } from '@jest/globals';
import { CategoryLists, CategoryNames } from './category-names.ts';

const declared = (id: string, name = id, description: string | null = null) => ({ id, name, description });

test('a category keeps its id when a later file declares it', () => {
  const names = new CategoryNames();
  expect(names.idOf('Code Quality')).toBe('Code Quality');
  names.declare([declared('code-quality', 'Code quality', 'All of it')]);
  expect(names.idOf('code-quality')).toBe('Code Quality');
  expect(names.list(() => 2)).toEqual([
    { id: 'Code Quality', name: 'Code quality', description: 'All of it', count: 2 },
  ]);
});

test.each([
  ['alone', []],
  ['after a file that declares one of them', [declared('tools', 'Tools')]],
])('two categories of one file stay two where one has the name of the other: %s', (_when, earlier) => {
  const names = new CategoryNames();
  names.declare(earlier);
  names.declare([declared('tools'), declared('dev', 'tools', 'Dev things')]);
  expect(['Tools', 'Dev'].map((given) => names.idOf(given))).toEqual(['tools', 'dev']);
  expect(names.list(() => 1)).toMatchObject([
    { id: 'dev', description: 'Dev things' },
    { id: 'tools', description: null },
  ]);
});

test('the list has declared categories without skills, and no others without listed skills', () => {
  const names = new CategoryNames();
  names.declare([declared('empty')]);
  for (const given of ['used', 'unlisted']) names.idOf(given);
  expect(names.list((id) => (id === 'used' ? 1 : 0)).map(({ id }) => id)).toEqual(['used', 'empty']);
});

test('two names of one category in a record count once', () => {
  const names = new CategoryNames();
  names.declare([declared('dev', 'Development')]);
  const lists = new CategoryLists(names);
  expect(lists.lists[lists.numberOf(['Development', 'DEV', 'else'])]?.ids).toEqual(['dev', 'else']);
});
