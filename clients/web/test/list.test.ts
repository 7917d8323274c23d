import { describe, expect, test } from '@jest/globals';
import { rangeText, toListPage } from '../src/list/list-page.ts';
import { rowsOf } from '../src/requests/path.ts';

describe('A pager', () => {
  test.each([
    [0, 25, 0, 'None'],
    [0, 25, 30, '1–25 of 30'],
    [25, 25, 30, '26–30 of 30'],
    [1_000, 100, 161_475, '1,001–1,100 of 161,475'],
  ])('says which rows are shown: skip %d, limit %d, total %d', (skip, limit, total, text) => {
    expect(rangeText(skip, limit, total)).toBe(text);
  });

  test('says that a page beyond the end has no rows', () => {
    expect(rangeText(30, 25, 30)).toBe('None on this page, 30 in all');
    expect(rangeText(50, 25, 0)).toBe('None');
  });
});

const pageOf = (headers: Record<string, string>) => toListPage({ data: [1], response: new Response('', { headers }) });

describe('A page of a list', () => {
  test('has the total, and the next page as the response links it', () => {
    const link = '</agents?limit=25&skip=20>; rel="next", </agents>; rel="first"';
    expect(pageOf({ 'x-total-count': '30', link })).toEqual({
      rows: [1],
      total: 30,
      next: { skip: '20', after: undefined },
    });
    const cursor = '<http://fleet/tasks?after=a%2Fb>; rel="next"';
    expect(pageOf({ link: cursor }).next).toEqual({ skip: undefined, after: 'a/b' });
  });

  test('may be the last one, and may not be counted', () => {
    expect(pageOf({ link: '</agents?skip=0>; rel="prev"' })).toEqual({ rows: [1], total: undefined, next: undefined });
  });

  test('begins after a number of rows, or else after the one that the address names', () => {
    expect(rowsOf(new URLSearchParams('skip=50&limit=9999'), 100, 25)).toEqual({ skip: 50, limit: 100 });
    expect(rowsOf(new URLSearchParams('skip=50&after=a&limit=0'), 100, 25)).toEqual({ after: 'a', limit: 1 });
  });

  test.each(['', 'x', '-1', '1e3', '0x10', '9'.repeat(10)])('is the first one where %j is no number', (text) => {
    expect(rowsOf(new URLSearchParams({ skip: text, limit: text }), 100, 25)).toEqual({ skip: 0, limit: 25 });
  });
});
