import { afterEach, beforeEach, expect, jest, test } from '@jest/globals';
import { RetryBudget } from './retry-budget.ts';

beforeEach(() => {
  jest.useFakeTimers();
});
afterEach(() => {
  jest.useRealTimers();
});

function takeAll(budget: RetryBudget): number {
  let taken = 0;
  while (budget.take()) taken++;
  return taken;
}

function createBudget(requests: number): RetryBudget {
  const budget = new RetryBudget();
  for (let n = 0; n < requests; n++) budget.countRequest();
  return budget;
}

test('allows one retry per second and one per ten requests of the last ten seconds', () => {
  expect(takeAll(createBudget(0))).toBe(10);
  expect(takeAll(createBudget(2_000))).toBe(210);
});

test('earned and used retries expire after ten seconds', () => {
  const budget = createBudget(1_000);
  jest.advanceTimersByTime(9_000);
  expect(takeAll(budget)).toBe(110);
  jest.advanceTimersByTime(1_000);
  expect(takeAll(budget)).toBe(0);
  jest.advanceTimersByTime(9_000);
  expect(takeAll(budget)).toBe(10);
  jest.advanceTimersByTime(100_000);
  expect(takeAll(budget)).toBe(10);
});
