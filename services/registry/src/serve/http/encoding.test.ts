import { expect, test } from '@jest/globals';
import { negotiateCoding } from './encoding.ts';

const negotiate = (header: string | undefined, hasBr?: boolean) =>
  negotiateCoding({ headers: { 'accept-encoding': header } }, hasBr);

test.each([
  [undefined, 'identity', 'identity'],
  ['gzip, deflate, br', 'br', 'gzip'],
  ['br', 'br', 'identity'],
  ['*', 'br', 'gzip'],
  ['identity;q=0.5, gzip;q=0.2', 'identity', 'identity'],
  ['*;q=0', 'identity', 'identity'],
])('Accept-Encoding %j gets %s, and %s without br', (header, withBr, withoutBr) => {
  // The second call uses the cache.
  for (let time = 0; time < 2; time++) {
    expect(negotiate(header)).toBe(withBr);
    expect(negotiate(header, false)).toBe(withoutBr);
  }
});

test('a coding is negotiated correctly after a thousand different headers', () => {
  for (let at = 0; at < 1_000; at++) expect(negotiate(`gzip;q=0.${at + 1}`)).toBe('gzip');
});
