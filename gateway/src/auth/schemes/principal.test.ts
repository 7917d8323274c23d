import { expect, test } from '@jest/globals';
import { toPrincipal } from './principal.ts';

test('makes principals that a header can hold', () => {
  expect(toPrincipal('key', 'ci')).toBe('key:ci');
  expect(toPrincipal('user', 'jürgen 100%@b.example')).toBe('user:j%C3%BCrgen%20100%25@b.example');
});
