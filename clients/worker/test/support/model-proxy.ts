import type { ModelRequest, Reply } from '@agent-fleet/scripts/testing/model-server/model-api';
import { type ModelServer, startModelServer } from '@agent-fleet/scripts/testing/model-server/model-server';
import { own } from '@agent-fleet/scripts/testing/own';
import {
  type ModelProxy,
  type ModelProxyOptions,
  type OpenEndpoint,
  startModelProxy,
} from '../../src/proxy/model-proxy.ts';
import type { Prices } from '../../src/proxy/prices.ts';
import type { Provider } from '../../src/runtimes/runtime.ts';
import type { Used } from '../../src/task.ts';

/** The key of the worker, which no agent may see. */
export const REAL_KEY = 'sk-real-0123456789';
/** USD per million tokens, so that the costs of the tests are round. */
const PRICES: Prices = { m: { input: 1000, cached_input: 100, output: 10_000 } };

/** A fake provider until the test ends. */
export async function startModel(reply?: (request: ModelRequest) => Reply | Promise<Reply>): Promise<ModelServer> {
  const model = await startModelServer({ reply, key: REAL_KEY });
  own(model.close);
  return model;
}

interface Opened extends OpenEndpoint {
  proxy: ModelProxy;
  /** What `onUsed` and `onBudgetExceeded` were called with. */
  reported: Used[];
  exceeded: number;
  turns: number;
  limited: number[];
  errors: string[];
  post(path: string, body: unknown, init?: RequestInit): Promise<Response>;
}

interface OpenOptions extends Partial<ModelProxyOptions> {
  provider?: Provider;
  maxCost?: number;
}

/** A proxy before that provider, and an endpoint of it, until the test ends. */
export async function openProxy(baseUrl: string, { provider = 'anthropic', maxCost, ...options }: OpenOptions = {}) {
  const errors: string[] = [];
  const proxy = await startModelProxy({
    upstreams: { [provider]: [{ baseUrl, key: REAL_KEY }] },
    prices: PRICES,
    onError: (message) => errors.push(message),
    ...options,
  });
  own(proxy.close);
  const opened = { proxy, reported: [] as Used[], exceeded: 0, turns: 0, limited: [] as number[], errors } as Opened;
  const endpoint = proxy.open({
    provider,
    maxCost,
    onBudgetExceeded: () => void opened.exceeded++,
    onTurn: () => void opened.turns++,
    onUsed: (used) => opened.reported.push(used),
    onLimited: (until) => opened.limited.push(until),
  });
  return Object.assign(opened, endpoint, {
    post: (path: string, body: unknown, init: RequestInit = {}) =>
      fetch(endpoint.baseUrl + path, {
        method: 'POST',
        body: typeof body === 'string' ? body : JSON.stringify(body),
        ...init,
        headers: { 'x-api-key': endpoint.key, 'content-type': 'application/json', ...init.headers },
      }),
  });
}

/** A request for a message in each provider's form. */
export const FORMS = [
  { api: 'messages', provider: 'anthropic', suffix: '', path: () => '/v1/messages' },
  { api: 'responses', provider: 'openai', suffix: '/v1', path: () => '/v1/responses' },
  {
    api: 'gemini',
    provider: 'google',
    suffix: '',
    path: (stream: boolean) => `/v1beta/models/m:${stream ? 'streamGenerateContent?alt=sse' : 'generateContent'}`,
  },
] as const;

/** Has what all forms need. */
export const bodyOf = (stream: boolean) => ({
  model: 'm',
  stream,
  max_tokens: 100,
  messages: [{ role: 'user', content: 'Say hello' }],
  input: [{ role: 'user', content: [{ type: 'input_text', text: 'Say hello' }] }],
  contents: [{ role: 'user', parts: [{ text: 'Say hello' }] }],
});
