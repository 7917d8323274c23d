import { expect, test } from '@jest/globals';
import { Completeness, type Continuation, readContinuation } from './continuation.ts';

test.each<[object, Continuation]>([
  [{}, {}],
  [{ total: 3 }, { total: 3 }],
  [{ totalSkills: 9 }, { total: 9 }],
  [{ total: -1 }, {}],
  [{ total: 9_007_199_254_740_991 }, {}],
  [{ total: '3' }, {}],
  [{ pagination: { total: 9 } }, { total: 9 }],
  [{ count: 3 }, {}],
  [
    { count: 9, next: 'https://example.com/?page=2' },
    { total: 9, next: 'https://example.com/?page=2' },
  ],
  [{ nextCursor: 'abc' }, { next: { cursor: 'abc' } }],
  [{ next_cursor: 'abc' }, { next: { cursor: 'abc' } }],
  [{ next: 'abc' }, { next: { cursor: 'abc' } }],
  [{ metadata: { nextCursor: 'abc' } }, { next: { cursor: 'abc' } }],
  [{ pagination: { nextCursor: 'abc', hasMore: false } }, {}],
  [{ nextCursor: null }, {}],
  [{ nextCursor: ' ' }, {}],
  [{ nextCursor: {} }, {}],
  [{ nextPageToken: 'abc' }, { next: { pageToken: 'abc' } }],
  [{ pageInfo: { endCursor: 'abc', hasNextPage: true } }, { next: { after: 'abc' } }],
  [{ pageInfo: { endCursor: 'abc', hasNextPage: false } }, {}],
  [{ next: '/skills?page=2' }, { next: '/skills?page=2' }],
  [{ links: { next: '?page=2' } }, { next: '?page=2' }],
  [{ page: 1, nextPage: 2 }, { next: { page: '2' } }],
  [{ page: 1, totalPages: 2 }, { next: { page: '2' } }],
  [{ page: 2, totalPages: 2 }, {}],
  [{ page: 0, hasMore: true }, { next: { page: '1' } }],
  [
    { total: 9, limit: 3, offset: 3 },
    { total: 9, next: { offset: '6' } },
  ],
  [{ total: 9, limit: 3, offset: 6 }, { total: 9 }],
  [{ limit: 0, offset: 0, hasMore: true }, { hasMore: true }],
  [{ pagination: { has_more: true } }, { hasMore: true }],
  [
    { chunks: ['a.json', { path: 'b.json' }, { file: 'c.json' }, { url: 'd.json' }] },
    { chunks: ['a.json', 'b.json', 'c.json', 'd.json'] },
  ],
  [{ chunks: [] }, {}],
  [{ chunks: [1, 'a.json'] }, {}],
  [{ chunks: 7 }, {}],
  [{ chunks: Array(2_001).fill('a.json') }, {}],
])('the rest of %j is %j', (members, expected) => {
  expect(readContinuation(members as Record<string, unknown>)).toEqual(expected);
});

test.each<[Continuation[], number, number]>([
  [[{}], 3, 0],
  [[{ total: 9 }], 3, 6],
  [[{ total: 9 }, {}], 9, 0],
  [[{ total: 3 }], 9, 0],
  [[{ next: 'more' }], 3, 1],
  [[{ next: 'more' }, {}], 3, 0],
  [[{ hasMore: true }], 3, 1],
])('after the files %j with %d records, %d are missing', (files, records, missing) => {
  const completeness = new Completeness();
  for (const file of files) completeness.note(file);
  expect(completeness.missing(records)).toBe(missing);
});
