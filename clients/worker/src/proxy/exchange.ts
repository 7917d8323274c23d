import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Provider } from '../runtimes/runtime.ts';
import type { Account, Forecast, Settle } from './account.ts';
import { type Deadlines, forward } from './forward.ts';
import { type Operation, toUpstream, upstreamUrl } from './operations.ts';
import { type Prices, priceOf, type Tokens } from './prices.ts';
import type { ProviderKeys, Upstream } from './provider-keys.ts';
import { estimateTokens, forecastOf, type HeldBytes, readBody } from './request-body.ts';
import { createUsageMeter, type Seen, type UsageMeter } from './usage.ts';

export interface ExchangeContext {
  provider: Provider;
  keys: ProviderKeys;
  account: Account;
  prices: Prices;
  deadlines: Deadlines;
  held: HeldBytes;
  /** Called when the provider takes no calls with any key for longer than a program should wait; ms since 1970. */
  onLimited(until: number): void;
  onTurn(): void;
}

export interface Call {
  operation: Operation;
  method: string;
  path: string;
  query: URLSearchParams;
}

/** One request of an agent and its response. */
export interface Exchange {
  /** Rejects with a ProxyError that is to be answered, or with any error when it is too late for an answer. */
  done: Promise<void>;
  /** Ends it, and charges what was seen. */
  abort(): void;
}

export function startExchange(
  call: Call,
  req: IncomingMessage,
  res: ServerResponse,
  context: ExchangeContext,
): Exchange {
  const aborts = new AbortController();
  const charge = createCharge(context.prices);
  let settle: Settle | undefined;
  const end = (isComplete: boolean) => {
    settle?.(charge.result(isComplete));
    settle = undefined;
  };
  const run = async () => {
    let heldBytes = 0;
    const onHeld = (bytes: number) => {
      heldBytes += bytes;
      context.held.bytes += bytes;
    };
    try {
      const sent = call.method === 'GET' ? undefined : await readBody(req, context.held, onHeld);
      const { operation } = call;
      const forecast = sent && operation.api !== undefined ? forecastOf(operation, sent) : undefined;
      if (forecast?.hasTools) context.onTurn();
      settle = await context.account.admit(forecast, aborts.signal);
      if (forecast) charge.begin(forecast);
      const { keys, provider, deadlines } = context;
      const send = (upstream: Upstream) => {
        const { baseUrl, key } = upstream;
        const onLimited = (until: number) => {
          if (keys.limit(provider, upstream, until)) return true;
          context.onLimited(keys.limitedUntil(provider) ?? until);
          return false;
        };
        const url = upstreamUrl(baseUrl, call.path, call.query);
        const headers = toUpstream(req.headers, provider, key);
        const onResponse = (response: IncomingMessage) => charge.observe(operation, response);
        const { method } = call;
        const { signal } = aborts;
        return forward({ url, method, headers, body: sent, key, signal, deadlines, onLimited, onResponse }, res);
      };
      // With each key once.
      while (!(await send(keys.pick(provider) as Upstream)));
      end(true);
    } catch (error) {
      if (!aborts.signal.aborted) charge.fail(error);
      throw error;
    } finally {
      end(false);
      context.held.bytes -= heldBytes;
    }
  };
  res.once('close', () => {
    if (!res.writableFinished) aborts.abort(new Error('the client has gone away'));
  });
  return {
    done: run(),
    abort() {
      end(false);
      aborts.abort(new Error('the attempt has ended'));
      res.destroy();
    },
  };
}

/** What a request is charged: what its response says, else an estimate of what was sent and seen. */
function createCharge(prices: Prices) {
  let forecast: Forecast | undefined;
  let meter: UsageMeter | undefined;
  return {
    begin(value: Forecast): void {
      forecast = value;
    },
    observe({ api }: Operation, response: IncomingMessage): (chunk: Buffer) => void {
      if (api === undefined) return () => {};
      const created = createUsageMeter(api, response.headers['content-type']);
      meter = created;
      return (chunk) => created.add(chunk);
    },
    /** Without a response there is nothing to charge, unless we ended it: the provider may go on with its work. */
    fail(error: unknown): void {
      const isLate = (error as { kind?: unknown } | null)?.kind === 'late';
      if (meter === undefined && !isLate) forecast = undefined;
    },
    result(isComplete: boolean): { model: string; tokens: Tokens } | undefined {
      if (forecast === undefined || (isComplete && meter === undefined)) return undefined;
      const seen = meter?.seen(isComplete) ?? { isFinal: false, characters: 0 };
      // The response names the exact version, which need not be in the list of prices.
      const named = seen.model;
      const model = named !== undefined && priceOf(prices, named) !== undefined ? named : forecast.model;
      return { model, tokens: tokensOf(seen, forecast) };
    },
  };
}

function tokensOf({ tokens, isFinal, characters }: Readonly<Seen>, { input }: Forecast): Tokens {
  if (tokens !== undefined && isFinal) return tokens;
  const output = Math.max(tokens?.output ?? 0, estimateTokens(characters));
  const begun = tokens ?? { input, cached: 0, cacheWrite: 0, cacheWrite1h: 0, output, reasoning: 0 };
  return { ...begun, output };
}
