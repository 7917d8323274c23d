import { expect, test } from '@jest/globals';
import { linkTo, orderParameter, pageHeaders, queryBoolean, skipParameter } from './paging.ts';

test('refuses leading zeros, and numbers that are not safe integers', () => {
  for (const skip of ['007', '9007199254740992']) expect(skipParameter.safeParse(skip).success).toBe(false);
});

test('takes true and false, and asc and desc, and nothing else', () => {
  const optional = queryBoolean('');
  expect(['true', 'false', undefined].map((text) => optional.parse(text))).toEqual([true, false, undefined]);
  expect(['asc', 'desc', undefined].map((text) => orderParameter.parse(text))).toEqual(['asc', 'desc', 'asc']);
  for (const schema of [optional, orderParameter]) {
    for (const text of ['', 'TRUE', 'ASC', '1', ['true', 'asc'], null])
      expect(schema.safeParse(text).success).toBe(false);
  }
});

test('links to the first page if less than a page precedes, and to the rest of a page that ended early', () => {
  const { link } = pageHeaders('/x?status=a%20b', { skip: 5, limit: 10 }, 30, 3);
  expect(link).toBe('</x?status=a+b&skip=8&limit=10>; rel="next", </x?status=a+b&skip=0&limit=10>; rel="prev"');
});

test('a page that ends where the list does links to no next one', () => {
  expect(pageHeaders('/x', { skip: 20, limit: 10 }, 30).link).toBe('</x?skip=10&limit=10>; rel="prev"');
  expect(pageHeaders('/x', { skip: 0, limit: 10 }, 10).link).toBeUndefined();
});

test('replaces parameters of a query and keeps the others', () => {
  expect(linkTo('/x?a=1&cursor=&b=%C3%A4', { cursor: 'c d' }, 'next')).toBe('</x?a=1&cursor=c+d&b=%C3%A4>; rel="next"');
  expect(linkTo('/x', { a: 1 }, 'next')).toBe('</x?a=1>; rel="next"');
});
