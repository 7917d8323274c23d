import { expect, test } from '@jest/globals';
import { Report } from './report.ts';

const rejection = (index: number) => ({ index, code: 'not_an_object' as const, message: 'No object' });

test('a report counts warnings and rejections by code, in the order of the codes', () => {
  const report = new Report();
  report.warn('duplicate_merged', 3);
  report.warn('id_missing');
  report.warn('id_missing');
  report.reject({ index: 1, id: 'x', code: 'record_too_large', message: 'Too large' });
  report.reject(rejection(2));
  expect(report.warnings()).toEqual([
    { code: 'id_missing', count: 2 },
    { code: 'duplicate_merged', count: 3 },
  ]);
  expect(report.rejections()).toEqual([
    { code: 'not_an_object', count: 1 },
    { code: 'record_too_large', count: 1 },
  ]);
  expect(report.rejected.map(({ index, id }) => [index, id])).toEqual([
    [1, 'x'],
    [2, undefined],
  ]);
});

test('a report lists a hundred rejections and counts all', () => {
  const report = new Report();
  for (let index = 0; index < 5_000; index++) report.reject(rejection(index));
  expect(report.rejected).toHaveLength(100);
  expect(report.rejectedCount).toBe(5_000);
  expect(report.rejections()).toEqual([{ code: 'not_an_object', count: 5_000 }]);
});
