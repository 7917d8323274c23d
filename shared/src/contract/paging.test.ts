import { describe, expect, test } from '@jest/globals';
import { z } from 'zod';
import { limitParameter, linkTo, pageHeaders, queryText, skipParameter } from './paging.ts';

const query = z.object({ skip: skipParameter, limit: limitParameter, status: queryText('A filter.') });

describe('query parameters', () => {
  test('have defaults, and an empty text is no filter', () => {
    expect(query.parse({ status: '' })).toEqual({ skip: 0, limit: 100 });
    expect(query.parse({ skip: '0', limit: '1000', status: 'x' })).toEqual({ skip: 0, limit: 1000, status: 'x' });
  });

  test.each(['', ' 5', '5 ', '0x10', '1.5', '1e3', '+1', '-1', '007', '9007199254740992', 'NaN', ['1', '2'], true])(
    'refuse %j as a whole number',
    (skip) => expect(query.safeParse({ skip }).success).toBe(false),
  );
});

describe('pageHeaders', () => {
  const links = (skip: number, limit: number, total: number, passed?: number) =>
    pageHeaders('/x?status=a%20b', { skip, limit }, total, passed).link;

  test('links to the pages around, if there are such', () => {
    expect(links(0, 10, 10)).toBeUndefined();
    expect(links(0, 10, 11)).toBe('</x?status=a+b&skip=10&limit=10>; rel="next"');
    expect(links(5, 10, 11)).toBe('</x?status=a+b&skip=0&limit=10>; rel="prev"');
    expect(links(10, 10, 30)).toMatch(/skip=20&limit=10>; rel="next".*skip=0&limit=10>; rel="prev"/);
    expect(links(50, 10, 30)).toBe('</x?status=a+b&skip=40&limit=10>; rel="prev"');
  });

  test('goes on where a page ended early', () => {
    expect(links(10, 10, 30, 3)).toContain('skip=13&limit=10>; rel="next"');
  });
});

test('linkTo replaces parameters of a query and keeps the others', () => {
  expect(linkTo('/x?a=1&cursor=&b=%C3%A4', { cursor: 'c d' }, 'next')).toBe('</x?a=1&cursor=c+d&b=%C3%A4>; rel="next"');
  expect(linkTo('/x', { a: 1 }, 'next')).toBe('</x?a=1>; rel="next"');
});
