import { expect, test } from '@jest/globals';
import { busiestShare } from './hot-agents.ts';

test('nodes share the work of many agents, but not that of a hot one', () => {
  expect(busiestShare(10_000, 'even', 10)).toBeCloseTo(0.1, 1);
  // The first of 1,000 agents has 13 % of the tasks.
  expect(busiestShare(1_000, 'zipf', 100)).toBeGreaterThan(0.13);
  expect(busiestShare(1_000, 'one', 100)).toBe(1);
});
