import { describe, expect, test } from '@jest/globals';
import { rangeText } from '../src/list/list-page.ts';

describe('A pager', () => {
  test.each([
    [0, 25, 0, 'None'],
    [0, 25, 30, '1–25 of 30'],
    [25, 25, 30, '26–30 of 30'],
    [1_000, 100, 161_475, '1,001–1,100 of 161,475'],
  ])('says which rows are shown: skip %d, limit %d, total %d', (skip, limit, total, text) => {
    expect(rangeText(skip, limit, total)).toBe(text);
  });

  test('says that a page beyond the end has no rows', () => {
    expect(rangeText(30, 25, 30)).toBe('None on this page, 30 in all');
    expect(rangeText(50, 25, 0)).toBe('None');
  });
});
