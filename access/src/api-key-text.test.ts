import { crc32 } from 'node:zlib';
import { unicodeText } from '@agent-fleet/shared/testing/unicode-text';
import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { createApiKeyText, digestOfSecret, isApiKeyText } from './api-key-text.ts';

const DIGITS = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const SHAPE = /^afk_[0-9A-Za-z]{12}_[0-9A-Za-z]{32}[0-9A-Za-z]{6}$/;
const KEYS = Array.from({ length: 2_000 }, createApiKeyText);

/** The value of base62 digits, the most significant first. */
function fromDigits(digits: string): number {
  return [...digits].reduce((value, digit) => value * 62 + DIGITS.indexOf(digit), 0);
}

test('a key has the documented form, and ends with the checksum of all before in base62', () => {
  for (const key of KEYS) {
    expect(key).toMatch(SHAPE);
    expect(fromDigits(key.slice(-6))).toBe(crc32(key.slice(0, -6)));
    expect(isApiKeyText(key)).toBe(true);
  }
});

test('keys differ, and use every digit at every place', () => {
  expect(new Set(KEYS).size).toBe(KEYS.length);
  const random = (key: string) => key.slice(4, 16) + key.slice(17, -6);
  for (let at = 0; at < 44; at++) expect(new Set(KEYS.map((key) => random(key)[at])).size).toBe(62);
});

test('every change of one character is noticed', () => {
  const place = fc.integer({ min: 0, max: 54 });
  const digit = fc.constantFrom(...DIGITS, '_', '-', ' ', 'é');
  fc.assert(
    fc.property(fc.constantFrom(...KEYS), place, digit, (key, at, other) => {
      fc.pre(key[at] !== other);
      expect(isApiKeyText(key.slice(0, at) + other + key.slice(at + 1))).toBe(false);
    }),
    { numRuns: 2_000 },
  );
});

test('other texts are no keys', () => {
  fc.assert(fc.property(unicodeText({ maxLength: 80 }), (text) => !isApiKeyText(text)));
  const [key = ''] = KEYS;
  for (const text of ['', 'afk_', key.slice(1), `${key} `, `${key}\n`, ` ${key}`, key.slice(0, -1), `${key}0`]) {
    expect(isApiKeyText(text)).toBe(false);
  }
});

test('secrets are stored by their SHA-256 in hex', () => {
  expect(digestOfSecret('abc')).toBe('ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad');
});
