import { expect, test } from '@jest/globals';
import { addSums, jestSums } from './sums.ts';

const report = (passed: number, failed: number, broken: number) =>
  JSON.stringify({ numPassedTests: passed, numFailedTests: failed, numRuntimeErrorTestSuites: broken });

test('counts test files that cannot run, and unhandled rejections, as failures', () => {
  expect(jestSums(report(5, 2, 1), 1, 3)).toEqual({ passed: 5, failed: 6 });
});

test('a rejection fails a run in which all tests pass', () => {
  expect(jestSums(report(5, 0, 0), 0, 1)).toEqual({ passed: 5, failed: 1 });
});

test('a run with a bad exit code and no failed test has one failure', () => {
  expect(jestSums(report(5, 0, 0), 1, 0)).toEqual({ passed: 5, failed: 1 });
  expect(jestSums('', null, 0)).toEqual({ passed: 0, failed: 1 });
});

test('adds sums', () => {
  expect(
    addSums([
      { passed: 1, failed: 0 },
      { passed: 2, failed: 3 },
    ]),
  ).toEqual({ passed: 3, failed: 3 });
});
