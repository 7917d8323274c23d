import { expect, test } from '@jest/globals';
import { costText, spentFields, usageText } from '../../src/output/words.ts';

const cost = (amount: number, estimated = false) => costText({ amount, currency: 'USD', estimated });
const USAGE = { input_tokens: 1_234_567, cached_input_tokens: 0, output_tokens: 89, reasoning_tokens: 0 };

test('shows an amount with two to six decimals, and marks an estimated one', () => {
  expect([0, 2, 2.5, 0.0123, 0.000001, 1_234.5].map((amount) => cost(amount))).toEqual([
    ...['$0.00', '$2.00', '$2.50', '$0.0123', '$0.000001', '$1234.50'],
  ]);
  expect(cost(0.1, true)).toBe('~$0.10');
  expect(costText(null)).toBeUndefined();
});

test('shows tokens, and how many of them were cached', () => {
  expect(usageText(USAGE)).toBe('1,234,567 in, 89 out');
  expect(usageText({ ...USAGE, cached_input_tokens: 1_000 })).toBe('1,234,567 in (1,000 cached), 89 out');
  expect(usageText(undefined)).toBeUndefined();
});

test('shows no sums where no attempt has reported any', () => {
  const spent = { ...USAGE, attempts: 0, cost: { amount: 0, currency: 'USD' as const, estimated: false } };
  expect(spentFields(spent)).toEqual([]);
  expect(spentFields(undefined)).toEqual([]);
  expect(spentFields({ ...spent, attempts: 1 })).toEqual([
    ['tokens', '1,234,567 in, 89 out'],
    ['cost', '$0.00'],
  ]);
});
