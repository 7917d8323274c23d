import { expect, test } from '@jest/globals';
import { safeJson, safeLine, safeText } from '../../src/output/safe-text.ts';

/** What terminals act on: controls of C0 and C1, marks of writing direction, separators of lines. */
const ACTING = [
  ...Array.from({ length: 0x20 }, (_, code) => code).filter((code) => code !== 0x09 && code !== 0x0a),
  ...Array.from({ length: 0x21 }, (_, at) => 0x7f + at),
  ...[0x061c, 0x200e, 0x200f, 0x2028, 0x2029, 0x202a, 0x202b, 0x202c, 0x202d, 0x202e, 0x2066, 0x2067, 0x2068, 0x2069],
  0xfeff,
].map((code) => String.fromCharCode(code));

test.each([
  ['a title of the window', '\x1b]0;owned\x07done', '␛]0;owned␇done'],
  ['a clipboard', '\x1b]52;c;ZXZpbA==\x1b\\', '␛]52;c;ZXZpbA==␛\\'],
  ['colours and cursor', '\x1b[31m\x1b[2J\x1b[H', '␛[31m␛[2J␛[H'],
  ['a C1 sequence', '\x9b31m', '\\u{9b}31m'],
  ['a return to the begin of the line', 'safe\rrm -rf', 'safe␍rm -rf'],
  ['backspaces', 'ab\b\bcd', 'ab␈␈cd'],
  ['a reversed name', 'invoice\u202efdp.exe', 'invoice\\u{202e}fdp.exe'],
  ['half of a pair', 'a\ud800b', 'a\ufffdb'],
])('%s becomes visible and harmless', (_, text, shown) => {
  expect(safeText(text)).toBe(shown);
});

test('nothing that a terminal acts on is left', () => {
  const all = ACTING.join('x');
  for (const shown of [safeText(all), safeLine(all), safeJson({ [all]: [all] }), safeJson(all, 2)]) {
    expect(ACTING.filter((character) => shown.includes(character))).toEqual([]);
  }
});

test('other text stays as it is', () => {
  const text = 'Ünï¢öde 日本語 👩‍👩‍👧 עברית\tand\nlines';
  expect(safeText(text)).toBe(text);
  expect(safeText('a\r\nb')).toBe('a\nb');
  expect(safeLine(text)).toBe(text.replace(/[\t\n]/g, ' '));
});

test('JSON keeps its value', () => {
  const value = { text: ACTING.join(''), nested: [{ 日本: '\ud83d\ude00' }], none: null };
  expect(JSON.parse(safeJson(value))).toEqual(value);
  expect(JSON.parse(safeJson(value, 2))).toEqual(value);
  expect(safeJson(undefined)).toBe('null');
});
