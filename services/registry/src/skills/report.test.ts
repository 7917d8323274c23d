import { expect, test } from '@jest/globals';
import { Report } from './report.ts';

const rejection = (index: number) => ({ index, code: 'not_an_object' as const, message: 'No object' });

test('a report lists a hundred rejections and counts all', () => {
  const report = new Report();
  for (let index = 0; index < 5_000; index++) report.reject(rejection(index));
  expect(report.rejected).toHaveLength(100);
  expect(report.rejectedCount).toBe(5_000);
  expect(report.rejections()).toEqual([{ code: 'not_an_object', count: 5_000 }]);
});
