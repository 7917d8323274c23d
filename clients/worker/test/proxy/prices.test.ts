import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ownFolder } from '@agent-fleet/scripts/testing/own-folder';
import { expect, test } from '@jest/globals';
import { BUILT_IN_PRICES, costOf, priceOf, readPrices } from '../../src/proxy/prices.ts';

const dir = ownFolder();
const file = join(dir, 'prices.json');

function read(content: unknown) {
  writeFileSync(file, typeof content === 'string' ? content : JSON.stringify(content));
  return readPrices(file);
}

const NO_CACHE = { cached: 0, cacheWrite: 0, cacheWrite1h: 0, reasoning: 0 };

test('finds the price of a model and of its dated versions, but not of its siblings', () => {
  const of = (model: string) => priceOf(BUILT_IN_PRICES, model)?.input;
  expect(of('claude-opus-5-5')).toBe(4);
  expect(of('claude-opus-5')).toBe(5);
  expect(of('claude-haiku-4-5-20251001')).toBe(1);
  expect(of('gpt-5.4-2026-03-05')).toBe(2.5);
  expect(of('gpt-5.4-mini')).toBe(0.75);
  expect(of('gemini-3-pro-preview')).toBe(2);
  expect(of('gemini-2.5-flash-preview-09-2025')).toBe(0.3);
  expect(of('gemini-flash-latest')).toBe(1.5);
  for (const model of ['gpt-5.4-ultra', 'claude-opus-6', 'claude-opus-5-6', 'gpt', '', '__proto__', 'toString']) {
    expect(of(model)).toBeUndefined();
  }
});

test('charges the parts of the input at their own prices, and long inputs more', () => {
  const price = priceOf(BUILT_IN_PRICES, 'claude-sonnet-4-6');
  if (price === undefined) throw new Error('no price');
  const tokens = { ...NO_CACHE, input: 1e6, output: 1e5 };
  expect(costOf(price, tokens)).toBeCloseTo(3 + 1.5);
  expect(costOf(price, { ...tokens, cached: 6e5, cacheWrite: 2e5, cacheWrite1h: 1e5 })).toBeCloseTo(
    0.3 + 0.18 + 0.75 + 0.6 + 1.5,
  );
  const tiered = priceOf(BUILT_IN_PRICES, 'gpt-6-sol');
  if (tiered === undefined) throw new Error('no price');
  expect(costOf(tiered, { ...NO_CACHE, input: 272_000, output: 1000 })).toBeCloseTo(0.544 + 0.01);
  expect(costOf(tiered, { ...NO_CACHE, input: 272_001, output: 1000 })).toBeCloseTo(1.088 + 0.015);
});

test('adds prices from a file, of models and of prefixes', async () => {
  const prices = await read({
    'my-*': { input: 1, output: 2 },
    'my-large*': { input: 3, output: 4, long_context: { above: 10, input: 5, output: 6 } },
    'gpt-5': { input: 9, cached_input: 0, output: 9 },
  });
  expect(priceOf(prices, 'my-small')?.input).toBe(1);
  expect(priceOf(prices, 'my-large-7')).toEqual({
    input: 3,
    output: 4,
    long_context: { above: 10, input: 5, output: 6 },
  });
  expect(priceOf(prices, 'gpt-5')?.input).toBe(9);
  expect(priceOf(prices, 'claude-opus-5-5')?.input).toBe(4);
  expect(await readPrices(undefined)).toBe(BUILT_IN_PRICES);
});

test.each([
  ['{\n"m": }', ' is not JSON at line 2, column 6'],
  [[], ': the file must be object'],
  [{ m: 3 }, ': /m must be object'],
  [{ m: { input: 1 } }, ": /m must have required property 'output'"],
  [{ m: { input: -1, output: 1 } }, ': /m/input must be >= 0'],
  [{ m: { input: '1', output: 1 } }, ': /m/input must be number'],
  [{ m: { input: 1, output: 1, cache: 1 } }, ': /m must NOT have additional properties: cache'],
  [{ 'a*b': { input: 1, output: 1 } }, ': the file must match pattern "^[^*\\s]+\\*?$": a*b'],
  [
    { m: { input: 1, output: 1, long_context: { input: 1, output: 1 } } },
    ": /m/long_context must have required property 'above'",
  ],
])('says what is wrong with a file of prices: %j', async (content, message) => {
  await expect(read(content)).rejects.toThrow(file + message);
});

test('says that a file of prices cannot be read', async () => {
  await expect(readPrices(join(dir, 'none'))).rejects.toThrow(/none cannot be read/);
});
