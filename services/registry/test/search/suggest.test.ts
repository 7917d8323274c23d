import { expect, test } from '@jest/globals';
import { createEngine } from './sample-skills.ts';

const engine = createEngine([
  { name: 'code-cleaner', stars: 3 },
  { name: 'code-review', stars: 5, tags: ['Coding'], author: 'Codehouse' },
  { name: 'Code Review', stars: 50, tags: ['coding'], author: 'codehouse', categories: ['code'] },
  { name: 'codex', stars: 9, categories: ['code'], tags: ['other'] },
  { name: 'x', display_name: 'Coder of X', stars: 1, categories: ['code'] },
  { name: '数据', tags: ['数据库'] },
]);

/** The row of a skill, the text of others. */
const suggested = (prefix: string, limit: number) =>
  engine.suggest(prefix, limit).map((suggestion) => (suggestion.kind === 'skill' ? suggestion.row : suggestion.text));

test('suggestions are names by popularity, each once, then tags, authors and categories by their skills', () => {
  expect(engine.suggest('cod', 10)).toEqual([
    { kind: 'skill', row: 2 },
    { kind: 'skill', row: 3 },
    { kind: 'skill', row: 0 },
    { kind: 'skill', row: 4 },
    { text: 'code', kind: 'category', count: 3 },
    { text: 'Coding', kind: 'tag', count: 2 },
    { text: 'Codehouse', kind: 'author', count: 2 },
  ]);
});

test('suggestions are limited, and a third of them is reserved for tags, authors and categories', () => {
  expect(suggested('cod', 3)).toEqual([2, 3, 'code']);
  expect(suggested('cod', 1)).toEqual([2]);
  expect(suggested('codi', 1)).toEqual(['Coding']);
  expect(engine.suggest('cod', 0)).toEqual([]);
});

test('suggestions ignore case, dashes and accents of names', () => {
  for (const prefix of ['CODE_R', 'code  r', 'códe-r']) expect(suggested(prefix, 1)).toEqual([2]);
  expect(suggested('数', 5)).toEqual([5, '数据库']);
});

test('suggestions ignore case and normalization form of tags, authors and categories', () => {
  const cafes = createEngine([
    { name: 'a', tags: ['Caf\u00e9 life'], author: 'CAFE\u0301-owner', categories: ['cafe\u0301'] },
  ]);
  for (const prefix of ['Caf\u00e9', 'cafe\u0301', 'CAFE\u0301', ' CAF\u00c9']) {
    expect(cafes.suggest(prefix, 9).map(({ kind }) => kind)).toEqual(['tag', 'author', 'category']);
  }
});

test('a prefix without letters has no suggestions', () => {
  for (const prefix of ['', ' ', '-', '\0', 'zzz']) expect(engine.suggest(prefix, 5)).toEqual([]);
});

test('a name is suggested for its most popular skill that is listed', () => {
  const shared = createEngine([
    { name: 'review', stars: 1 },
    { name: 'review', kind: 'agent', stars: 9 },
    { name: 'reviewer', kind: 'agent' },
  ]);
  expect(shared.suggest('rev', 10)).toEqual([{ kind: 'skill', row: 0 }]);
});
