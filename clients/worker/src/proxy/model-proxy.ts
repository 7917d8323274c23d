import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { ModelEndpoint, Provider } from '../runtimes/runtime.ts';
import type { Used } from '../task.ts';
import { Account } from './account.ts';
import { type Exchange, type ExchangeContext, startExchange } from './exchange.ts';
import type { Deadlines } from './forward.ts';
import { keysOf, operationOf } from './operations.ts';
import type { Prices } from './prices.ts';
import { ProxyError, sendError } from './provider-errors.ts';
import { ProviderKeys, type Upstreams } from './provider-keys.ts';

const KEY_BYTES = 32;
const MAX_CONNECTIONS = 512;
/** For a whole request of an agent, which comes from the same machine. */
const REQUEST_MS = 60_000;
/** Longer than clients keep an idle connection, so that none sends into one that is just closed. */
const KEEP_ALIVE_MS = 120_000;
const DEADLINES: Deadlines = { firstByteMs: 600_000, idleMs: 300_000 };
const PROVIDERS: readonly string[] = ['anthropic', 'openai', 'google'] satisfies Provider[];

export interface ModelProxyOptions {
  /** Keys by provider. A base URL may have a path; OpenAI's may end with `/v1`. */
  upstreams: Upstreams;
  prices: Prices;
  /** Default: ten minutes for the headers of a response, five for each piece of it. */
  deadlines?: Deadlines;
  /** Receives faults of the proxy itself, without bodies and keys. */
  onError?(message: string): void;
}

interface EndpointOptions {
  provider: Provider;
  /** USD that the attempt may still use; undefined: no limit. */
  maxCost: number | undefined;
  /** Called for each request that is refused for the budget, or because its model has no price. */
  onBudgetExceeded(reason: string): void;
  /** Called after each response, with the sums of the attempt so far. */
  onUsed(used: Used): void;
  /** Called before each call of an agent that may use tools: titles and the like are none. */
  onTurn?(): void;
  /** Called when the provider refuses calls with all keys for longer than a program should wait; ms since 1970. */
  onLimited(until: number): void;
}

/** Where one attempt sends its model calls. */
export interface OpenEndpoint extends ModelEndpoint {
  /** Undefined when no call was charged. Cost is null when a model without a price was used. */
  used(): Used | undefined;
  /** Ends all calls that run, charges what was seen of them, and makes the key invalid. */
  close(): void;
}

/** An HTTP server on the loopback that holds the providers' keys, and counts what each attempt uses. */
export interface ModelProxy {
  /** @throws Error when there is no key of the provider */
  open(options: EndpointOptions): OpenEndpoint;
  /** When the provider takes calls again, in ms since 1970; undefined if it does now. */
  limitedUntil(provider: Provider): number | undefined;
  pauses: ProviderKeys['pauses'];
  close(): Promise<void>;
}

interface Endpoint extends ExchangeContext {
  digest: Buffer;
  exchanges: Set<Exchange>;
}

const digestOf = (key: string): Buffer => createHash('sha256').update(key).digest();

/** Starts the proxy on a free port of 127.0.0.1. */
export async function startModelProxy(options: ModelProxyOptions): Promise<ModelProxy> {
  const { upstreams, prices, deadlines = DEADLINES, onError = () => {} } = options;
  const keys = new ProviderKeys(upstreams);
  const endpoints = new Set<Endpoint>();
  const server = createServer({ requestTimeout: REQUEST_MS, keepAliveTimeout: KEEP_ALIVE_MS }, (req, res) => {
    handle(req, res, endpoints, portOf(server)).catch((error: unknown) => {
      onError(`The model proxy failed: ${error instanceof Error ? error.name : 'unknown'}`);
      res.destroy();
    });
  });
  server.maxConnections = MAX_CONNECTIONS;
  await new Promise<void>((resolve, reject) => server.once('error', reject).listen(0, '127.0.0.1', resolve));

  const closeEndpoint = (endpoint: Endpoint) => {
    endpoints.delete(endpoint);
    for (const exchange of endpoint.exchanges) exchange.abort();
  };
  return {
    open({ provider, onLimited, onTurn = () => {}, ...budget }) {
      if (keys.pick(provider) === undefined) throw new Error(`There is no key of ${provider}`);
      const key = `fleet-${randomBytes(KEY_BYTES).toString('base64url')}`;
      const account = new Account({ prices, ...budget });
      const held = { bytes: 0 };
      const context = { provider, keys, account, prices, deadlines, held, onLimited, onTurn };
      const open: Endpoint = { ...context, digest: digestOf(key), exchanges: new Set() };
      endpoints.add(open);
      const baseUrl = `http://127.0.0.1:${portOf(server)}/${provider}`;
      return { baseUrl, key, used: () => account.used(), close: () => closeEndpoint(open) };
    },
    limitedUntil: (provider) => keys.limitedUntil(provider),
    pauses: () => keys.pauses(),
    async close() {
      for (const endpoint of endpoints) closeEndpoint(endpoint);
      const closed = new Promise((resolve) => server.close(resolve));
      server.closeAllConnections();
      await closed;
    },
  };
}

const portOf = (server: ReturnType<typeof createServer>): number => (server.address() as AddressInfo).port;

/** Answers one request, whatever happens to it. */
async function handle(
  req: IncomingMessage,
  res: ServerResponse,
  endpoints: Set<Endpoint>,
  port: number,
): Promise<void> {
  const [target = '', query = ''] = splitOnce(req.url ?? '', '?');
  const [, name = '', path = ''] = /^\/([^/]*)(.*)$/s.exec(target) ?? [];
  const provider = PROVIDERS.includes(name) ? (name as Provider) : undefined;
  res.on('error', () => {});
  try {
    checkOrigin(req, port);
    const parameters = new URLSearchParams(query);
    const endpoint = findEndpoint(endpoints, keysOf(req.headers, parameters), provider);
    const method = req.method ?? '';
    const operation = operationOf(endpoint.provider, method, path);
    if (operation === undefined) throw new ProxyError('unknown', 'The worker does not pass on this operation');
    const exchange = startExchange({ operation, method, path, query: parameters }, req, res, endpoint);
    endpoint.exchanges.add(exchange);
    try {
      await exchange.done;
    } finally {
      endpoint.exchanges.delete(exchange);
    }
  } catch (error) {
    // Without an answer to give, the connection has ended already, or must end: the response is not whole.
    if (error instanceof ProxyError) sendError(res, provider, error);
    else res.destroy();
  }
}

/** Web pages reach the loopback too, by a name that resolves to it or across origins. */
function checkOrigin({ headers }: IncomingMessage, port: number): void {
  const isOurs = headers.host === `127.0.0.1:${port}` || headers.host === `localhost:${port}`;
  const site = headers['sec-fetch-site'];
  if (isOurs && headers.origin === undefined && (site === undefined || site === 'none')) return;
  throw new ProxyError('forbidden', 'Only programs on this machine may use this proxy');
}

/** Compares digests, so that the time says nothing about a key. */
function findEndpoint(endpoints: Set<Endpoint>, keys: readonly string[], provider: Provider | undefined): Endpoint {
  for (const key of keys) {
    const digest = digestOf(key);
    for (const endpoint of endpoints) {
      if (timingSafeEqual(digest, endpoint.digest) && endpoint.provider === provider) return endpoint;
    }
  }
  throw new ProxyError('unauthenticated', 'The key of the attempt is not valid, or the attempt has ended');
}

function splitOnce(text: string, separator: string): string[] {
  const at = text.indexOf(separator);
  return at < 0 ? [text] : [text.slice(0, at), text.slice(at + 1)];
}
