import { crc32 } from 'node:zlib';
import { unicodeText } from '@agent-fleet/shared/testing/unicode-text';
import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { createApiKeyText, digestOfSecret, isApiKeyText } from './api-key-text.ts';

const DIGITS = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const SHAPE = /^afk_[0-9A-Za-z]{12}_[0-9A-Za-z]{32}[0-9A-Za-z]{6}$/;
const KEYS = Array.from({ length: 2_000 }, createApiKeyText);

/** CRC-32 (ISO-HDLC) bit by bit: reflected polynomial, initial value and final XOR of all ones. */
function slowCrc32(text: string): number {
  let crc = 0xffffffff;
  for (const byte of Buffer.from(text)) {
    crc ^= byte;
    for (let bit = 0; bit < 8; bit++) crc = crc & 1 ? (crc >>> 1) ^ 0xedb88320 : crc >>> 1;
  }
  return (crc ^ 0xffffffff) >>> 0;
}

/** The value of base62 digits, the most significant first. */
function fromDigits(digits: string): number {
  return [...digits].reduce((value, digit) => value * 62 + DIGITS.indexOf(digit), 0);
}

test('the checksum is CRC-32 as everybody has it', () => {
  expect(slowCrc32('123456789')).toBe(0xcbf43926);
  expect(crc32('123456789')).toBe(0xcbf43926);
});

test('a key has the documented form, and ends with the checksum of all before in base62', () => {
  for (const key of KEYS) {
    expect(key).toMatch(SHAPE);
    expect(fromDigits(key.slice(-6))).toBe(slowCrc32(key.slice(0, -6)));
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

test('two digits that change places are noticed', () => {
  fc.assert(
    fc.property(fc.constantFrom(...KEYS), fc.integer({ min: 17, max: 53 }), (key, at) => {
      const [one, two] = [key[at] as string, key[at + 1] as string];
      fc.pre(one !== two);
      expect(isApiKeyText(key.slice(0, at) + two + one + key.slice(at + 2))).toBe(false);
    }),
  );
});

test('other texts are no keys', () => {
  fc.assert(fc.property(unicodeText({ maxLength: 80 }), (text) => !isApiKeyText(text)));
  const [key = ''] = KEYS;
  for (const text of ['', 'afk_', key.slice(1), `${key} `, `${key}\n`, ` ${key}`, key.slice(0, -1), `${key}0`]) {
    expect(isApiKeyText(text)).toBe(false);
  }
});

test('a small checksum is padded to six digits', () => {
  const short = (function find(): string {
    for (let number = 0; ; number++) {
      const start = `afk_000000000000_${String(number).padStart(32, '0')}`;
      if (crc32(start) < 62 ** 5) return start;
    }
  })();
  const digits = [];
  for (let rest = crc32(short), place = 0; place < 6; place++, rest = Math.floor(rest / 62)) {
    digits.unshift(DIGITS[rest % 62]);
  }
  expect(digits[0]).toBe('0');
  expect(isApiKeyText(short + digits.join(''))).toBe(true);
});

test('secrets are stored by their SHA-256 in hex', () => {
  expect(digestOfSecret('abc')).toBe('ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad');
});
