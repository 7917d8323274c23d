import { expect, test } from '@jest/globals';
import { LabelNumbers } from './label-numbers.ts';

test('LabelNumbers gives each text as it is written one number', () => {
  const labels = new LabelNumbers();
  expect(['a', 'B', 'b', 'a', ''].map((text) => labels.of(text))).toEqual([0, 1, 2, 0, 3]);
});

test('LabelNumbers gives no number to long texts, nor to more than 65,536', () => {
  const labels = new LabelNumbers();
  expect(labels.of('x'.repeat(129))).toBe(-1);
  for (let number = 0; number < 65_536; number++) labels.of(String(number));
  expect(labels.of('one more')).toBe(-1);
  expect(labels.of('65535')).toBe(65_535);
});
