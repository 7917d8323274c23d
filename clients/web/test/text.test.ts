import { unicodeText } from '@agent-fleet/shared/testing/unicode-text';
import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { bytes, compact, count, plural } from '../src/text/numbers.ts';
import { beginning, toPieces, utf8Bytes } from '../src/text/pieces.ts';
import { safeLine, safeText } from '../src/text/safe-text.ts';
import { absoluteTime, duration } from '../src/text/times.ts';

/** What is shown, hidden or kept by what stands beside it. */
const CHARACTERS = [
  ...'\r\n\u001b\u200b\u200c\u200d\u202e\u00ad\ufe0e\ufe0f\u180b\u3164\u{e0041}\u{e007f}\u{1f3f4}\u{1f3fb}👩❤1aم',
];

/** Any UTF-16, with many of the characters that matter. */
const anyText = fc
  .array(
    fc.oneof(
      unicodeText(),
      fc.integer({ min: 0, max: 0xffff }).map((code) => String.fromCharCode(code)),
      fc.constantFrom(...CHARACTERS),
    ),
  )
  .map((parts) => parts.join(''));

test.each([
  ['a\u202eb', 'a⟨U+202E⟩b'],
  ['\u001b[31mred', '␛[31mred'],
  ['\u0000\u007f\u0085', '␀␡⟨U+0085⟩'],
  ['pass\u200bword', 'pass⟨U+200B⟩word'],
  ['\u200b'.repeat(1_000), '⟨U+200B×1000⟩'],
  ['half \ud800 pair', 'half ⟨U+D800⟩ pair'],
  ['hidden\u{e0068}\u{e0069}', 'hidden⟨U+E0068⟩⟨U+E0069⟩'],
  ['\ufe0f\u200d👩', '⟨U+FE0F⟩⟨U+200D⟩👩'],
  ['a\u00ad\u3164', 'a⟨U+00AD⟩⟨U+3164⟩'],
  ['line\u2028separator', 'line⟨U+2028⟩separator'],
  ['\ufefffirst', '⟨U+FEFF⟩first'],
  ['one\r\ntwo\rthree', 'one\ntwo␍three'],
])('shows what cannot be seen in %j', (text, shown) => {
  expect(safeText(text)).toBe(shown);
});

test.each([
  'plain text\n\twith a tab, ümläuts and 漢字',
  '👩‍👩‍👧‍👦 ❤️ 👍🏽 1️⃣ 🏴󠁧󠁢󠁥󠁮󠁧󠁿 ☺︎',
  'می‌خواهم',
  'Donau\u00addampf\u00adschiff',
])('leaves %j as it is', (text) => {
  expect(safeText(text)).toBe(text);
});

test('shows a safe text as it is, whatever it was', () => {
  fc.assert(
    fc.property(anyText, (text) => {
      const shown = safeText(text);
      expect(safeText(shown)).toBe(shown);
      expect(shown.isWellFormed()).toBe(true);
      expect(shown).not.toMatch(/(?![\t\n])[\p{Cc}\p{Bidi_Control}\u2028\u2029\u200b\u2060\ufeff]/u);
      expect(safeLine(text)).not.toMatch(/[\t\n]/);
    }),
    { numRuns: 20_000 },
  );
});

test('reads a megabyte in a fraction of a second', () => {
  const startedAt = process.cpuUsage().user;
  for (const text of ['a', '漢', '\u202e', 'a\u0000']) safeText(text.repeat(1_000_000 / text.length));
  expect((process.cpuUsage().user - startedAt) / 1000).toBeLessThan(2_000);
});

test('cuts a text into pieces without a loss, at ends of lines where it can', () => {
  expect(toPieces('one\ntwo\nthree', 8)).toEqual(['one\ntwo\n', 'three']);
  expect(toPieces('one two three', 8)).toEqual(['one two ', 'three']);
  expect(toPieces('ab😀cd', 3)).toEqual(['ab', '😀c', 'd']);
  fc.assert(
    fc.property(anyText, fc.integer({ min: 2, max: 20 }), (text, size) => {
      const pieces = toPieces(text, size);
      expect(pieces.join('')).toBe(text);
      expect(Math.max(...pieces.map(({ length }) => length))).toBeLessThanOrEqual(size);
      if (text.isWellFormed()) expect(pieces.every((piece) => piece.isWellFormed())).toBe(true);
      expect(text.startsWith(beginning(text, size))).toBe(true);
    }),
  );
});

test('counts bytes as an encoder does', () => {
  fc.assert(fc.property(anyText, (text) => expect(utf8Bytes(text)).toBe(new TextEncoder().encode(text).length)));
});

test('writes numbers for people', () => {
  expect(count(1_234_567)).toBe('1,234,567');
  expect([999, 1_000, 161_475, 2_500_000].map(compact)).toEqual(['999', '1k', '161k', '2.5M']);
  expect([0, 1_023, 1_024, 65_536, 1_048_570, 1_048_576].map(bytes)).toEqual([
    '0 B',
    '1023 B',
    '1.0 KB',
    '64 KB',
    '1.0 MB',
    '1.0 MB',
  ]);
  expect([plural(1, 'task'), plural(0, 'task'), plural(2_000, 'entry', 'entries')]).toEqual([
    '1 task',
    '0 tasks',
    '2,000 entries',
  ]);
});

test('writes exact times with their zone, and durations in two units', () => {
  expect(absoluteTime('2026-11-25T12:34:56Z')).toMatch(/^2[456] Nov 2026, \d{2}:\d{2}:56 \S+$/);
  expect(absoluteTime('never')).toBe('never');
  const texts = [0, 850, 999.6, 1_234, 9_949, 9_999, 184_000, 3_600_000, 90_061_000, -65_000].map(duration);
  expect(texts).toEqual([
    '0 ms',
    '850 ms',
    '1.0 s',
    '1.2 s',
    '9.9 s',
    '10 s',
    '3 min 4 s',
    '1 h',
    '1 d 1 h',
    '-1 min 5 s',
  ]);
});
