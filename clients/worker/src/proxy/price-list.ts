/** USD per million tokens. What is absent costs as much as `input`. */
export interface Rates {
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

// USD per million tokens, standard tier, as of November 2026. Sources:
//   https://platform.claude.com/docs/en/about-claude/pricing
//   https://developers.openai.com/api/docs/pricing
//   https://ai.google.dev/gemini-api/docs/pricing
// and, for a second look, https://models.dev/api.json. Not in it: priority and fast tiers, batches, searches by the
// provider's own tools, audio and images. `--prices` adds and corrects.

/** Anthropic: a write costs 1.25 times the input for five minutes, and twice the input for an hour. */
function claude(input: number, cached_input: number, output: number): Rates {
  return { input, cached_input, cache_write: input * 1.25, cache_write_1h: input * 2, output };
}

/** OpenAI: above 272,000 tokens twice the input and one and a half times the output. */
function gpt(input: number, cached_input: number, output: number): Price {
  return { input, cached_input, output, long_context: longOf({ input, cached_input, output }, 272_000) };
}

/** OpenAI since GPT-5.6: writes to the cache have a price of their own. */
function gptWithWrites(input: number, cached_input: number, output: number): Price {
  const rates = { input, cached_input, cache_write: input * 1.25, output };
  return { ...rates, long_context: longOf(rates, 272_000) };
}

/** Gemini Pro: the same above 200,000 tokens. */
function geminiPro(input: number, cached_input: number, output: number): Price {
  return { input, cached_input, output, long_context: longOf({ input, cached_input, output }, 200_000) };
}

function longOf(rates: Rates, above: number) {
  const twice = Object.fromEntries(Object.entries(rates).map(([name, rate]) => [name, rate * 2])) as unknown as Rates;
  return { ...twice, output: rates.output * 1.5, above };
}

const flat = (input: number, cached_input: number, output: number): Price => ({ input, cached_input, output });

export const BUILT_IN_PRICES: Prices = {
  'claude-fable-5-1': claude(10, 0.25, 50),
  'claude-fable-5': claude(10, 1, 50),
  'claude-mythos-5-1': claude(10, 0.25, 50),
  'claude-mythos-5': claude(10, 1, 50),
  'claude-opus-5-5': claude(4, 0.2, 20),
  'claude-opus-5': claude(5, 0.5, 25),
  'claude-opus-4-8': claude(5, 0.5, 25),
  'claude-opus-4-7': claude(5, 0.5, 25),
  'claude-opus-4-6': claude(5, 0.5, 25),
  'claude-opus-4-5': claude(5, 0.5, 25),
  'claude-opus-4-1': claude(15, 1.5, 75),
  'claude-opus-4': claude(15, 1.5, 75),
  'claude-sonnet-5-5': claude(2, 0.1, 10),
  'claude-sonnet-5': claude(2, 0.2, 10),
  'claude-sonnet-4-6': claude(3, 0.3, 15),
  'claude-sonnet-4-5': claude(3, 0.3, 15),
  'claude-sonnet-4': claude(3, 0.3, 15),
  'claude-haiku-5-5': { ...claude(0.1, 0.01, 0.5), long_context: { ...claude(0.5, 0.05, 2.5), above: 100_000 } },
  'claude-haiku-4-5': claude(1, 0.1, 5),

  'gpt-6.2-astra': gptWithWrites(8, 0.4, 40),
  'gpt-6.2-sol': gptWithWrites(2, 0.1, 10),
  'gpt-6.1-sol': gptWithWrites(2, 0.1, 10),
  'gpt-6-astra': gptWithWrites(10, 1, 50),
  'gpt-6-sol': gptWithWrites(2, 0.2, 10),
  'gpt-6-luna': gptWithWrites(0.1, 0.01, 0.5),
  'gpt-5.6': gptWithWrites(4, 0.4, 20),
  'gpt-5.6-sol': gptWithWrites(4, 0.4, 20),
  'gpt-5.6-terra': gptWithWrites(2, 0.2, 12),
  'gpt-5.6-luna': gptWithWrites(0.2, 0.02, 1.2),
  'gpt-5.5': gpt(5, 0.5, 30),
  'gpt-5.5-pro': gpt(30, 30, 180),
  'gpt-5.4': gpt(2.5, 0.25, 15),
  'gpt-5.4-pro': gpt(30, 30, 180),
  'gpt-5.4-mini': flat(0.75, 0.075, 4.5),
  'gpt-5.4-nano': flat(0.2, 0.02, 1.25),
  'gpt-5.3-codex': flat(1.75, 0.175, 14),
  'gpt-5.2': flat(1.75, 0.175, 14),
  'gpt-5.2-codex': flat(1.75, 0.175, 14),
  'gpt-5.2-pro': flat(21, 21, 168),
  'gpt-5.1': flat(1.25, 0.125, 10),
  'gpt-5.1-codex': flat(1.25, 0.125, 10),
  'gpt-5.1-codex-max': flat(1.25, 0.125, 10),
  'gpt-5': flat(1.25, 0.125, 10),
  'gpt-5-codex': flat(1.25, 0.125, 10),
  'gpt-5-pro': flat(15, 15, 120),
  'gpt-5-mini': flat(0.25, 0.025, 2),
  'gpt-5-nano': flat(0.05, 0.005, 0.4),
  'gpt-4.1': flat(2, 0.5, 8),
  'gpt-4.1-mini': flat(0.4, 0.1, 1.6),
  'gpt-4.1-nano': flat(0.1, 0.025, 0.4),
  'gpt-4o': flat(2.5, 1.25, 10),
  'gpt-4o-mini': flat(0.15, 0.075, 0.6),
  o3: flat(2, 0.5, 8),
  'o3-pro': flat(20, 20, 80),
  'o4-mini': flat(1.1, 0.275, 4.4),

  // Half of it until the end of 2026.
  'gemini-3.8-flash': flat(1.5, 0.15, 7.5),
  'gemini-3.7-flash': flat(1.5, 0.15, 7.5),
  'gemini-3.6-flash': flat(1.5, 0.15, 7.5),
  'gemini-flash': flat(1.5, 0.15, 7.5),
  'gemini-3.5-flash': flat(1.5, 0.15, 9),
  'gemini-3.5-flash-lite': flat(0.3, 0.03, 2.5),
  'gemini-flash-lite': flat(0.3, 0.03, 2.5),
  'gemini-3.1-pro': geminiPro(2, 0.2, 12),
  'gemini-3.1-pro-preview-customtools': geminiPro(2, 0.2, 12),
  'gemini-3-pro': geminiPro(2, 0.2, 12),
  'gemini-3.1-flash-lite': flat(0.25, 0.025, 1.5),
  'gemini-3-flash': flat(0.5, 0.05, 3),
  'gemini-2.5-pro': geminiPro(1.25, 0.125, 10),
  'gemini-2.5-flash': flat(0.3, 0.03, 2.5),
  'gemini-2.5-flash-lite': flat(0.1, 0.01, 0.4),
};
