import { expect, test } from '@jest/globals';
import { describeOutcome } from './outcome.ts';

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
