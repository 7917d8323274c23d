import { expect, test } from '@jest/globals';
import { parseCorsOrigins } from './cors-origins.ts';

test('reads a list of origins, * for any, or an empty list', () => {
  expect(parseCorsOrigins('https://app.example, http://localhost:5173')).toEqual([
    'https://app.example',
    'http://localhost:5173',
  ]);
  expect(parseCorsOrigins('*')).toEqual(['*']);
  expect(parseCorsOrigins(' , ')).toEqual([]);
});

test.each([
  ...[
    'https://app.example/',
    'https://app.example/path',
    'app.example',
    'https://*.example',
    'null',
    '*, https://a.example',
  ],
  ...['https://App.example', 'https://app.example:443', 'ftp://a.example', 'https://a@b.example'],
])('refuses %s, which no browser sends', (list) => {
  expect(() => parseCorsOrigins(list)).toThrow('must be a comma-separated list of origins');
});
