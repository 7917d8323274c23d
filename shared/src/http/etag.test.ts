import { createHash } from 'node:crypto';
import { expect, test } from '@jest/globals';
import { etagOf, noneMatchHits, parseEtags } from './etag.ts';

test('an entity tag is the quoted SHA-1, as Lua computes it', () => {
  expect(etagOf('é')).toBe(`"${createHash('sha1').update('é', 'utf8').digest('hex')}"`);
});

test.each([
  ['"a"', true],
  ['W/"a"', true],
  ['"b", W/"a" , "c"', true],
  ['*', true],
  [' * ', true],
  ['"b"', false],
  ['a', false],
  ['', false],
  [undefined, false],
])('If-None-Match %j matches the tag "a": %j', (header, hits) => {
  expect(noneMatchHits(header, '"a"')).toBe(hits);
});

test('parses entity tags as sent, with commas inside of them', () => {
  expect(parseEtags('"a,b", W/"c"')).toEqual(['"a,b"', '"c"']);
  expect(parseEtags('nonsense')).toEqual([]);
});
