import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { parseHttpDate } from './http-date.ts';

test('an HTTP date is read back as it is written', () => {
  const seconds = fc.integer({ min: 0, max: Date.UTC(9999, 11, 31) / 1_000 });
  fc.assert(
    fc.property(seconds, (second) => {
      expect(parseHttpDate(new Date(second * 1_000).toUTCString())).toBe(second * 1_000);
    }),
  );
});

test('an HTTP date may have a leap second or be the leap day', () => {
  expect(parseHttpDate('Sat, 31 Dec 2016 23:59:60 GMT')).toBe(Date.UTC(2017, 0, 1));
  expect(parseHttpDate('Thu, 29 Feb 2024 00:00:00 GMT')).toBe(Date.UTC(2024, 1, 29));
});

test('an HTTP date with a year of two digits is at most fifty years ahead', () => {
  const now = new Date(Date.UTC(2030, 0, 1));
  expect(parseHttpDate('Friday, 01-Jan-80 00:00:00 GMT', now)).toBeUndefined();
  expect(parseHttpDate('Monday, 01-Jan-80 00:00:00 GMT', now)).toBe(Date.UTC(2080, 0, 1));
  expect(parseHttpDate('Thursday, 01-Jan-81 00:00:00 GMT', now)).toBe(Date.UTC(1981, 0, 1));
});

test.each([
  '',
  'yesterday',
  '2000-01-01',
  '2030-01-01T00:00:00Z',
  '99999999999',
  '1 Jan 2030',
  'Tue, 01 Jan 2030 00:00:00',
  'Tue, 01 Jan 2030 00:00:00 +0000',
  'Tue, 01 Jan 2030 00:00:00 UTC',
  'Tue, 1 Jan 2030 00:00:00 GMT',
  'tue, 01 jan 2030 00:00:00 gmt',
  'Tue, 01 Jan 2030 00:00:00 GMT, Tue, 01 Jan 2030 00:00:00 GMT',
  'Wed, 01 Jan 2030 00:00:00 GMT',
  'Tue, 30 Feb 2030 00:00:00 GMT',
  'Tue, 00 Jan 2030 00:00:00 GMT',
  'Tue, 01 Jam 2030 00:00:00 GMT',
  'Tue, 01 Jan 2030 24:00:00 GMT',
  'Tue, 01 Jan 2030 00:60:00 GMT',
  'Tue, 01 Jan 2030 00:00:61 GMT',
  'Sat, 01 Jan 0050 00:00:00 GMT',
  'Tue, 01-Jan-30 00:00:00 GMT',
  'Tue Jan 1 00:00:00 2030',
  'Tue Jan 01 00:00:00 2030 GMT',
])('%j is not an HTTP date', (text) => expect(parseHttpDate(text)).toBeUndefined());
