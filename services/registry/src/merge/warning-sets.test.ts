import { expect, test } from '@jest/globals';
import { Report } from '../skills/report.ts';
import { WarningSets } from './warning-sets.ts';

test('warnings of a record take little memory, however many there are', () => {
  const sets = new WarningSets();
  const many = sets.numberOf(new Array(200_000).fill('tag_unusable'));
  const numbers = Uint32Array.of(many, sets.numberOf(['text_cut']), many);
  const report = new Report();
  sets.count(numbers, 3, report);
  expect(report.warnings()).toEqual([
    { code: 'text_cut', count: 1 },
    { code: 'tag_unusable', count: 400_000 },
  ]);
  expect(JSON.stringify(sets.trim(numbers, 3)).length).toBeLessThan(100);
});

test('only the sets that records have are kept for the next build', () => {
  const sets = new WarningSets([[['url_unsafe', 1]], [['text_cut', 2]]]);
  const numbers = Uint32Array.of(1, sets.numberOf(['path_unsafe']), 1);
  expect(sets.trim(numbers, 3)).toEqual([[['text_cut', 2]], [['path_unsafe', 1]]]);
  expect(numbers).toEqual(Uint32Array.of(0, 1, 0));
});
