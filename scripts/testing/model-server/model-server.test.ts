import { once } from 'node:events';
import { request } from 'node:http';
import { afterEach, expect, test } from '@jest/globals';
import type { ModelRequest, Reply } from './model-api.ts';
import { type ModelServer, startModelServer } from './model-server.ts';

const PROMPT = 'Say hello';
/** One request of each provider's form, as a stream or not. */
const FORMS: readonly {
  api: ModelRequest['api'];
  path: (stream: boolean) => string;
  body: (stream: boolean) => object;
}[] = [
  {
    api: 'messages',
    path: () => '/v1/messages',
    body: (stream) => ({ model: 'm', stream, messages: [{ role: 'user', content: [{ type: 'text', text: PROMPT }] }] }),
  },
  {
    api: 'responses',
    path: () => '/v1/responses',
    body: (stream) => ({
      model: 'm',
      stream,
      input: [{ role: 'user', content: [{ type: 'input_text', text: PROMPT }] }],
    }),
  },
  {
    api: 'chat',
    path: () => '/v1/chat/completions',
    body: (stream) => ({ model: 'm', stream, messages: [{ role: 'user', content: PROMPT }] }),
  },
  {
    api: 'gemini',
    path: (stream) => `/v1beta/models/m:${stream ? 'streamGenerateContent?alt=sse' : 'generateContent'}`,
    body: () => ({ contents: [{ role: 'user', parts: [{ text: PROMPT }] }] }),
  },
];
const CASES = FORMS.flatMap((form) => [true, false].map((stream) => ({ ...form, stream })));

let server: ModelServer;
afterEach(() => server.close());

async function start(reply?: Reply, key?: string): Promise<void> {
  server = await startModelServer({ ...(reply && { reply: () => reply }), key });
}

const post = (path: string, body: object, headers: Record<string, string> = {}) =>
  fetch(server.url + path, { method: 'POST', body: JSON.stringify(body), headers });

test.each(CASES)('answers $api with a text, stream $stream', async ({ api, path, body, stream }) => {
  await start({ text: 'well, hello there you', usage: { input_tokens: 71, output_tokens: 23 } });
  const response = await post(path(stream), body(stream), { 'x-api-key': 'k' });
  const text = await response.text();
  expect(response.headers.get('content-type')).toContain(stream ? 'event-stream' : 'json');
  expect(text.startsWith(stream ? (api === 'messages' || api === 'responses' ? 'event: ' : 'data: ') : '{')).toBe(true);
  expect(text).toContain('well, hello there you');
  expect(text).toContain('71');
  expect(text).toContain('23');
  expect(server.requests).toMatchObject([{ api, model: 'm', stream, prompt: PROMPT, key: 'k', ended: 'answered' }]);
});

test.each(CASES)('answers $api with a call of a tool, stream $stream', async ({ path, body, stream }) => {
  await start({ tools: [{ name: 'run_it', args: { command: 'ls' } }] });
  const text = await (await post(path(stream), body(stream))).text();
  expect(text).toContain('run_it');
  expect(text).toContain('ls');
});

test.each(CASES)('answers $api with an error, stream $stream', async ({ path, body, stream }) => {
  await start({ status: 429, retryAfterSeconds: 7, message: 'too fast' });
  const response = await post(path(stream), body(stream));
  expect(response.status).toBe(429);
  expect(response.headers.get('retry-after')).toBe('7');
  expect(await response.json()).toMatchObject({ error: { message: 'too fast' } });
});

test('refuses another key', async () => {
  await start(undefined, 'right');
  const { path, body } = FORMS[0] as (typeof FORMS)[0];
  expect((await post(path(true), body(true), { authorization: 'Bearer wrong' })).status).toBe(401);
  expect((await post(path(true), body(true), { authorization: 'Bearer right' })).status).toBe(200);
});

test('hangs until the client goes away', async () => {
  await start({ hang: 'stream' });
  const call = request(`${server.url}/v1/messages`, { method: 'POST' });
  call.on('error', () => {});
  call.end(JSON.stringify({ model: 'm', stream: true, messages: [] }));
  const [response] = await once(call, 'response');
  const [first] = await once(response, 'data');
  expect(String(first)).toContain('message_start');
  call.destroy();
  while (server.requests[0]?.ended === undefined) await new Promise(setImmediate);
  expect(server.requests[0]?.ended).toBe('aborted');
});

test('counts tokens and lists models', async () => {
  await start();
  expect(await (await post('/v1/messages/count_tokens', {})).json()).toEqual({ input_tokens: expect.any(Number) });
  expect(await (await post('/v1beta/models/m:countTokens', {})).json()).toEqual({ totalTokens: expect.any(Number) });
  const models = await (await fetch(`${server.url}/v1/models`)).json();
  expect(models).toMatchObject({
    data: expect.arrayContaining([expect.objectContaining({ id: 'claude-sonnet-4-5' })]),
  });
});
