import type { Used } from '../task.ts';
import { costOf, type Prices, priceOf, type Tokens } from './prices.ts';
import { ProxyError } from './provider-errors.ts';

/** Requests of one attempt that are with the provider at the same time; others wait. */
const MAX_RUNNING = 16;
const MAX_WAITING = 64;
/** Held back for a request that does not limit its output. */
const UNLIMITED_OUTPUT = 32_000;

/** What a request may cost, as far as it can be known before. */
export interface Forecast {
  model: string;
  /** Estimated tokens. */
  input: number;
  /** The limit that the request sets. */
  maxOutput: number | undefined;
  hasTools?: boolean;
}

export interface AccountOptions {
  prices: Prices;
  /** USD. */
  maxCost: number | undefined;
  onBudgetExceeded(reason: string): void;
  onUsed(used: Used): void;
}

/** Ends a request. Without tokens it was not charged. */
export type Settle = (charged?: { model: string; tokens: Tokens }) => void;

interface Waiting {
  hold: number;
  resolve(settle: Settle): void;
  reject(error: ProxyError): void;
}

/** Sums of what an attempt has used, and the admission of its requests within its budget. */
export class Account {
  readonly #options: AccountOptions;
  readonly #totals: Totals;
  readonly #waiting: Waiting[] = [];
  #running = 0;
  #held = 0;

  constructor(options: AccountOptions) {
    this.#options = options;
    this.#totals = createTotals(options.prices);
  }

  /** Undefined while nothing was charged. */
  used(): Used | undefined {
    return this.#totals.used();
  }

  /**
   * Waits until the request may be sent: `undefined` for one that costs nothing. While others run, it is sent only when
   * its own forecast and theirs fit into the budget; so the budget is passed by what one response costs at most, as
   * far as forecasts are right. @throws ProxyError `budget` or `busy`
   */
  async admit(forecast: Forecast | undefined, signal: AbortSignal): Promise<Settle> {
    signal.throwIfAborted();
    const hold = forecast === undefined ? 0 : this.#holdOf(forecast);
    if (forecast !== undefined && this.#isSpent()) throw this.#refuse();
    if (this.#waiting.length === 0 && this.#running < MAX_RUNNING && this.#fits(hold)) return this.#start(hold);
    if (this.#waiting.length >= MAX_WAITING) {
      throw new ProxyError('busy', 'Too many requests of this attempt are waiting');
    }
    return new Promise((resolve, reject) => {
      const entry = { hold, resolve, reject };
      this.#waiting.push(entry);
      signal.addEventListener('abort', () => {
        const at = this.#waiting.indexOf(entry);
        if (at < 0) return;
        this.#waiting.splice(at, 1);
        reject(signal.reason);
        this.#startWaiting();
      });
    });
  }

  #isSpent(): boolean {
    const { maxCost } = this.#options;
    return maxCost !== undefined && this.#totals.spent() >= maxCost;
  }

  #fits(hold: number): boolean {
    const { maxCost } = this.#options;
    const held = this.#held;
    return maxCost === undefined || hold === 0 || held === 0 || this.#totals.spent() + held + hold <= maxCost;
  }

  #start(hold: number): Settle {
    this.#running++;
    this.#held += hold;
    let isSettled = false;
    return (charged) => {
      if (isSettled) return;
      isSettled = true;
      this.#running--;
      this.#held = this.#running === 0 ? 0 : Math.max(0, this.#held - hold);
      if (charged) {
        this.#totals.add(charged.model, charged.tokens);
        this.#options.onUsed(this.#totals.used() as Used);
      }
      this.#startWaiting();
    };
  }

  #startWaiting(): void {
    for (let next = this.#waiting[0]; next !== undefined; next = this.#waiting[0]) {
      const isRefused = next.hold > 0 && this.#isSpent();
      if (!isRefused && (this.#running >= MAX_RUNNING || !this.#fits(next.hold))) return;
      this.#waiting.shift();
      if (isRefused) next.reject(this.#refuse());
      else next.resolve(this.#start(next.hold));
    }
  }

  #refuse(message?: string): ProxyError {
    const { maxCost, onBudgetExceeded } = this.#options;
    const reason = message ?? `The budget of the task (max_cost) is used up; this attempt had ${maxCost} USD of it`;
    onBudgetExceeded(reason);
    return new ProxyError('budget', reason);
  }

  #holdOf({ model, input, maxOutput }: Forecast): number {
    const { prices, maxCost } = this.#options;
    const price = priceOf(prices, model);
    if (price === undefined) {
      if (maxCost === undefined) return 0;
      const how = 'a budget (max_cost) needs one: see --prices';
      throw this.#refuse(`No price is known of the model ${JSON.stringify(model.slice(0, 100))}, and ${how}`);
    }
    const output = maxOutput ?? UNLIMITED_OUTPUT;
    return costOf(price, { input, output, cached: 0, cacheWrite: 0, cacheWrite1h: 0, reasoning: 0 });
  }
}

type Totals = ReturnType<typeof createTotals>;

/** Sums by model. The cost is unknown as soon as a model without a price was charged. */
function createTotals(prices: Prices) {
  const byModel = new Map<string, number>();
  const usage = { input_tokens: 0, cached_input_tokens: 0, output_tokens: 0, reasoning_tokens: 0 };
  let spent = 0;
  let isPriced = true;
  return {
    /** USD, of what has a price. */
    spent: () => spent,
    add(model: string, tokens: Tokens): void {
      const price = priceOf(prices, model);
      if (price === undefined) isPriced = false;
      else spent += costOf(price, tokens);
      usage.input_tokens += tokens.input;
      usage.cached_input_tokens += tokens.cached;
      usage.output_tokens += tokens.output;
      usage.reasoning_tokens += tokens.reasoning;
      if (byModel.size < MAX_MODELS || byModel.has(model)) {
        byModel.set(model, (byModel.get(model) ?? 0) + tokens.input + tokens.output);
      }
    },
    used(): Used | undefined {
      if (byModel.size === 0) return undefined;
      // Programs also use a small model, for titles and the like.
      const [main = null] = [...byModel].sort(([, a], [, b]) => b - a)[0] ?? [];
      const amount = Math.round(spent * 1e6) / 1e6;
      return { usage: { ...usage }, cost: isPriced ? { amount, currency: 'USD', estimated: true } : null, model: main };
    },
  };
}

const MAX_MODELS = 100;
