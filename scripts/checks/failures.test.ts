import { expect, test } from '@jest/globals';
import { describeFailures, jestFailures } from './failures.ts';

const passed = { status: 'passed', fullName: 'adds', failureMessages: [] };
const failed = { status: 'failed', fullName: 'subtracts', failureMessages: ['Expected 1\nReceived 2'] };

test('reports failed tests, and files that failed to run, as failures', () => {
  const report = JSON.stringify({
    testResults: [
      { name: 'sums.test.ts', message: 'all of it', assertionResults: [passed, failed] },
      { name: 'broken.test.ts', message: 'No such module', assertionResults: [] },
      { name: 'after-all.test.ts', message: 'Not closed', assertionResults: [passed] },
      { name: 'good.test.ts', message: '', assertionResults: [passed] },
      { name: 'empty.test.ts', message: '', assertionResults: [] },
    ],
  });
  expect(jestFailures(report)).toEqual([
    { name: 'subtracts', message: 'Expected 1\nReceived 2' },
    { name: 'broken.test.ts', message: 'No such module' },
    { name: 'after-all.test.ts', message: 'Not closed' },
  ]);
  expect(jestFailures('')).toEqual([]);
});

test('describes each failure in one section', () => {
  expect(describeFailures([{ name: 'subtracts', message: 'Expected 1\nReceived 2' }])).toBe(
    '== failures\n✗ subtracts\n    Expected 1\n    Received 2',
  );
});

test('truncates long messages and many failures', () => {
  const failures = Array.from({ length: 23 }, (_, index) => ({ name: `test ${index}`, message: 'line\n'.repeat(100) }));
  const lines = describeFailures(failures).split('\n');
  expect(lines).toHaveLength(1 + 20 * 26 + 1);
  expect(lines.at(-1)).toBe('… and 3 more');
});
