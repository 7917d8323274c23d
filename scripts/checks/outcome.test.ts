import { expect, test } from '@jest/globals';
import { describeOutcome, toOutcome } from './outcome.ts';

const passed = { status: 'passed', fullName: 'adds', failureMessages: [] };
const failed = { status: 'failed', fullName: 'subtracts', failureMessages: ['Expected 1\nReceived 2'] };
const good = JSON.stringify({ numPassedTests: 5, testResults: [] });
const rejection = { name: 'unhandled rejection', message: 'Error' };

test('failed tests, files that failed to run and unhandled rejections are failures', () => {
  const report = JSON.stringify({
    numPassedTests: 3,
    testResults: [
      { name: 'sums.test.ts', message: 'all of it', assertionResults: [passed, failed] },
      { name: 'broken.test.ts', message: 'No such module', assertionResults: [] },
      { name: 'after-all.test.ts', message: 'Not closed', assertionResults: [passed] },
      { name: 'good.test.ts', message: '', assertionResults: [passed] },
      { name: 'empty.test.ts', message: '', assertionResults: [] },
    ],
  });
  expect(toOutcome(report, 1, [rejection])).toEqual({
    passed: 3,
    failures: [
      { name: 'subtracts', message: 'Expected 1\nReceived 2' },
      { name: 'broken.test.ts', message: 'No such module' },
      { name: 'after-all.test.ts', message: 'Not closed' },
      rejection,
    ],
  });
});

test('a rejection fails a run in which all tests pass', () => {
  expect(toOutcome(good, 0, [rejection])).toEqual({ passed: 5, failures: [rejection] });
});

test('a run with a bad exit code and no failed test has one failure', () => {
  expect(toOutcome(good, 1, [])).toEqual({ passed: 5, failures: [{ name: 'jest', message: 'It ended with 1' }] });
  expect(toOutcome('', null, []).failures).toHaveLength(1);
  expect(toOutcome(good, 0, []).failures).toEqual([]);
});

test('an outcome is described by its failures in one section, and by its counts in the last line', () => {
  const failures = [{ name: 'subtracts', message: 'Expected 1\nReceived 2' }];
  expect(describeOutcome({ passed: 2, failures })).toBe(
    '== failures\n✗ subtracts\n    Expected 1\n    Received 2\n2 passed, 1 failed',
  );
  expect(describeOutcome({ passed: 2, failures: [] })).toBe('2 passed, 0 failed');
});

test('long messages and many failures are truncated', () => {
  const failures = Array.from({ length: 23 }, (_, index) => ({ name: `test ${index}`, message: 'line\n'.repeat(100) }));
  const lines = describeOutcome({ passed: 0, failures }).split('\n');
  expect(lines).toHaveLength(1 + 20 * 26 + 2);
  expect(lines.slice(-2)).toEqual(['… and 3 more', '0 passed, 23 failed']);
});
