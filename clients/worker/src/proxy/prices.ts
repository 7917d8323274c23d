import { readFile } from 'node:fs/promises';
import { decodeText, whereNotJson } from '@agent-fleet/sdk/text';
import { Ajv, type ErrorObject } from 'ajv';
import builtIn from './prices.json' with { type: 'json' };

/** USD per million tokens. What is absent costs as much as `input`. */
interface Rates {
  input: number;
  cached_input?: number;
  /** Input that the provider stores in its cache, for some minutes. */
  cache_write?: number;
  /** The same, for an hour. */
  cache_write_1h?: number;
  output: number;
}

/** The price of a model; `long_context` holds for all tokens of a request whose input has more than `above` tokens. */
export interface Price extends Rates {
  long_context?: Rates & { above: number };
}

/**
 * Prices by model. A name is also the price of the dated versions of the model (`-20260922`, `-2026-09-22`, `-001`,
 * `-latest`, `-preview`), and `claude-opus-*` of all names that begin so; the longest match counts.
 */
export type Prices = Readonly<Record<string, Price>>;

/**
 * Standard tier, as of November 2026, from https://platform.claude.com/docs/en/about-claude/pricing,
 * https://developers.openai.com/api/docs/pricing and https://ai.google.dev/gemini-api/docs/pricing, compared with
 * https://models.dev/api.json. The Flash models of Gemini cost half of it until the end of 2026. Not in it: priority
 * and fast tiers, batches, searches by the provider's own tools, audio and images. `--prices` adds and corrects.
 */
export const BUILT_IN_PRICES: Prices = builtIn;

/** Tokens of one response. The three that are about the cache are part of `input`, and `reasoning` of `output`. */
export interface Tokens {
  input: number;
  cached: number;
  cacheWrite: number;
  cacheWrite1h: number;
  output: number;
  reasoning: number;
}

const PER_MILLION = 1_000_000;
const MAX_FILE_BYTES = 1024 * 1024;
const VERSION = /^(?:-preview)?(?:-latest|-\d{8}|-\d{4}-\d{2}-\d{2}|-\d{2}-\d{4}|-\d{2}-\d{2}|-\d{3})?$/;
const AMOUNT = { type: 'number', minimum: 0 };
const RATES = { input: AMOUNT, cached_input: AMOUNT, cache_write: AMOUNT, cache_write_1h: AMOUNT, output: AMOUNT };
const LONG_CONTEXT = objectOf({ ...RATES, above: AMOUNT }, ['input', 'output', 'above']);

/** A name is that of a model, or a prefix with `*` at its end. */
const checkPrices = new Ajv().compile<Prices>({
  type: 'object',
  propertyNames: { pattern: '^[^*\\s]+\\*?$' },
  additionalProperties: objectOf({ ...RATES, long_context: LONG_CONTEXT }, ['input', 'output']),
});

function objectOf(properties: object, required: readonly string[]) {
  return { type: 'object', properties, required, additionalProperties: false };
}

/**
 * The built-in prices, with those of a JSON file added or put in their place:
 * `{"<model>": {"input": 2, "cached_input": 0.2, "cache_write": 2.5, "output": 10}}`, USD per million tokens.
 * @throws Error whose message names the file and the field
 */
export async function readPrices(path: string | undefined): Promise<Prices> {
  if (path === undefined) return BUILT_IN_PRICES;
  let text: string;
  try {
    text = decodeText(await readFile(path));
  } catch (error) {
    throw new Error(`${path} cannot be read: ${(error as Error).message}`, { cause: error });
  }
  if (text.length > MAX_FILE_BYTES) throw new Error(`${path} is larger than ${MAX_FILE_BYTES} bytes`);
  return { ...BUILT_IN_PRICES, ...parsePrices(text, path) };
}

function parsePrices(text: string, path: string): Prices {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw new Error(`${path} is not JSON at ${whereNotJson(text)}`, { cause: error });
  }
  if (checkPrices(value)) return value;
  const [{ instancePath, message, params, propertyName } = {} as ErrorObject] = checkPrices.errors ?? [];
  const name = propertyName ?? params?.additionalProperty;
  throw new Error(`${path}: ${instancePath || 'the file'} ${message}${name === undefined ? '' : `: ${name}`}`);
}

/** The price of a model; undefined when none is known. */
export function priceOf(prices: Prices, model: string): Price | undefined {
  const matches = Object.keys(prices).filter((pattern) => {
    if (pattern.endsWith('*')) return model.startsWith(pattern.slice(0, -1));
    return model.startsWith(pattern) && VERSION.test(model.slice(pattern.length));
  });
  const longest = matches.sort((a, b) => b.length - a.length)[0];
  return longest === undefined ? undefined : prices[longest];
}

/** USD. */
export function costOf(price: Price, tokens: Tokens): number {
  const long = price.long_context;
  const rates = long !== undefined && tokens.input > long.above ? long : price;
  const { input, cached, cacheWrite, cacheWrite1h, output } = tokens;
  const write = rates.cache_write ?? rates.input;
  const sum =
    Math.max(0, input - cached - cacheWrite - cacheWrite1h) * rates.input +
    cached * (rates.cached_input ?? rates.input) +
    cacheWrite * write +
    cacheWrite1h * (rates.cache_write_1h ?? write) +
    output * rates.output;
  return sum / PER_MILLION;
}
