import { serveUntilEnd } from '@agent-fleet/scripts/testing/serve-until-end';
import { expect, test } from '@jest/globals';
import { bodyOf, FORMS, openProxy, startModel } from '../support/model-proxy.ts';

const USAGE = { input_tokens: 71, cached_input_tokens: 20, output_tokens: 23, reasoning_tokens: 5 };
const CASES = FORMS.flatMap((form) => [true, false].map((stream) => ({ ...form, stream })));

test.each(CASES)('passes a response of $api on and counts it, stream $stream', async (form) => {
  const { api, provider, suffix, path, stream } = form;
  const model = await startModel(() => ({ text: 'well, hello there you, and welcome', usage: USAGE }));
  const proxy = await openProxy(model.url + suffix, { provider });
  const response = await proxy.post(path(stream), bodyOf(stream));
  expect(response.status).toBe(200);
  expect(response.headers.get('content-type')).toContain(stream ? 'event-stream' : 'json');
  const direct = await fetch(model.url + path(stream), {
    method: 'POST',
    body: JSON.stringify(bodyOf(stream)),
    headers: { 'x-api-key': 'sk-real-0123456789' },
  });
  const withoutIds = (text: string) => text.replace(/_\d+_\d+"/g, '"').replace(/"created(_at)?":\d+/g, '');
  const [passed, original] = [withoutIds(await response.text()), withoutIds(await direct.text())];
  expect(passed).toBe(original);

  // Anthropic reports no reasoning.
  const usage = { ...USAGE, reasoning_tokens: api === 'messages' ? 0 : 5 };
  const amount = (51 * 1000 + 20 * 100 + 23 * 10_000) / 1e6;
  const used = { usage, cost: { amount, currency: 'USD', estimated: true }, model: 'm' };
  expect(proxy.reported).toEqual([used]);
  expect(proxy.used()).toEqual(used);
  expect(proxy.errors).toEqual([]);
});

test('adds up the calls of an attempt, and names the model that was used most', async () => {
  const model = await startModel(({ model }) => ({ text: 'x', usage: { input_tokens: model === 'm' ? 900 : 10 } }));
  const proxy = await openProxy(model.url);
  for (const name of ['other', 'm', 'other']) {
    const tools = name === 'm' ? [] : [{ name: 'look', input_schema: { type: 'object' } }];
    await (await proxy.post('/v1/messages', { ...bodyOf(true), model: name, tools })).text();
  }
  // What needs no tools is no turn of the agent.
  expect(proxy.turns).toBe(2);
  expect(proxy.used()).toEqual({
    usage: { input_tokens: 920, cached_input_tokens: 0, output_tokens: 30, reasoning_tokens: 0 },
    // One of the models has no price, so the sum is not known.
    cost: null,
    model: 'm',
  });
});

test('counts neither errors nor what is free', async () => {
  const model = await startModel(() => ({ status: 529 }));
  const proxy = await openProxy(model.url);
  expect((await proxy.post('/v1/messages', bodyOf(true))).status).toBe(529);
  expect((await proxy.post('/v1/messages/count_tokens', bodyOf(false))).status).toBe(200);
  expect((await fetch(`${proxy.baseUrl}/v1/models`, { headers: { 'x-api-key': proxy.key } })).status).toBe(200);
  expect(proxy.used()).toBeUndefined();
});

const event = (data: object) => `event: x\r\ndata: ${JSON.stringify(data)}\r\n\r\n`;

test('counts writes to the cache, for minutes and for an hour, at their prices', async () => {
  const usage = {
    input_tokens: 10,
    cache_read_input_tokens: 100,
    cache_creation_input_tokens: 50,
    cache_creation: { ephemeral_5m_input_tokens: 20, ephemeral_1h_input_tokens: 30 },
    output_tokens: 1,
  };
  const url = await serveUntilEnd((_req, res) => {
    res.writeHead(200, { 'content-type': 'text/event-stream; charset=utf-8' });
    const text =
      event({ type: 'message_start', message: { model: 'm-20260922', usage } }) +
      event({ type: 'message_delta', usage: { output_tokens: 7 } });
    // Pieces that cut lines, events and characters.
    const bytes = Buffer.from(text.replace('"x"', '"é"'));
    const send = (at: number) => {
      if (at >= bytes.length) return void res.end();
      res.write(bytes.subarray(at, at + 11), () => send(at + 11));
    };
    send(0);
  });
  const prices = { m: { input: 100, cached_input: 10, cache_write: 125, cache_write_1h: 200, output: 1000 } };
  const proxy = await openProxy(url, { prices });
  await (await proxy.post('/v1/messages', bodyOf(true))).text();
  expect(proxy.used()).toEqual({
    usage: { input_tokens: 160, cached_input_tokens: 100, output_tokens: 7, reasoning_tokens: 0 },
    cost: { amount: 0.0175, currency: 'USD', estimated: true },
    model: 'm-20260922',
  });
});

test('estimates a response that says no usage, or is broken, and passes it on as it is', async () => {
  const broken = `data: {"type":"content_block_delta","delta":{"text":"${'x'.repeat(400)}"}}\n\ndata: {"usage":{\n\n`;
  const url = await serveUntilEnd((_req, res) => {
    res.writeHead(200, { 'content-type': 'text/event-stream' }).end(broken);
  });
  const proxy = await openProxy(url);
  const body = JSON.stringify(bodyOf(true));
  expect(await (await proxy.post('/v1/messages', body)).text()).toBe(broken);
  const input = Math.ceil(body.length / 4);
  expect(proxy.used()?.usage).toMatchObject({ input_tokens: input, output_tokens: 100 });
});

test('reads the chunks of Gemini that come as one JSON array', async () => {
  const chunk = (text: string, candidatesTokenCount: number) => ({
    candidates: [{ content: { parts: [{ text }] }, finishReason: 'STOP' }],
    usageMetadata: { promptTokenCount: 9, candidatesTokenCount, thoughtsTokenCount: 3 },
  });
  const url = await serveUntilEnd((_req, res) => {
    res.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify([chunk('a', 1), chunk('b', 4)]));
  });
  const proxy = await openProxy(url, { provider: 'google' });
  await (await proxy.post('/v1beta/models/m:streamGenerateContent', bodyOf(true))).text();
  expect(proxy.used()?.usage).toMatchObject({ input_tokens: 9, output_tokens: 7, reasoning_tokens: 3 });
});
