import { expect, test } from '@jest/globals';
import { RecordReport, Report, WarningSets } from './report.ts';

const rejection = (index: number) => ({ index, code: 'not_an_object' as const, message: 'No object' });

test('a report lists a hundred rejections and counts all', () => {
  const report = new Report();
  for (let index = 0; index < 5_000; index++) report.reject(rejection(index));
  expect(report.rejected).toHaveLength(100);
  expect(report.rejectedCount).toBe(5_000);
  expect(report.rejections()).toEqual([{ code: 'not_an_object', count: 5_000 }]);
});

test('warnings of a record take little memory, however many there are', () => {
  const record = new RecordReport();
  for (let time = 0; time < 200_000; time++) record.warn('tag_unusable');
  const sets = new WarningSets();
  const numbers = Uint32Array.of(sets.numberOf(record.warnings), sets.numberOf([['text_cut', 1]]), 0);
  const report = new Report();
  sets.count(numbers, 3, report);
  expect(report.warnings()).toEqual([
    { code: 'text_cut', count: 1 },
    { code: 'tag_unusable', count: 400_000 },
  ]);
  expect(JSON.stringify(sets.sets).length).toBeLessThan(100);
});
