import { createServer } from 'node:net';
import { gzipSync } from 'node:zlib';
import { serveUntilEnd } from '@agent-fleet/scripts/testing/serve-until-end';
import { expect, test } from '@jest/globals';
import { bodyOf, openProxy, REAL_KEY } from '../support/model-proxy.ts';

const sse = (event: object) => `data: ${JSON.stringify(event)}\n\n`;
const STARTED = sse({ type: 'message_start', message: { model: 'm', usage: { input_tokens: 100, output_tokens: 1 } } });
const ENDED = sse({ type: 'message_delta', usage: { output_tokens: 50 } });

test('keeps the real key from the agent wherever the provider repeats it', async () => {
  const url = await serveUntilEnd((_req, res) => {
    res.writeHead(200, { 'content-type': 'text/event-stream', 'request-id': `of ${REAL_KEY}` });
    res.write(`${STARTED}data: {"text":"${REAL_KEY.slice(0, 7)}`);
    setTimeout(() => res.end(`${REAL_KEY.slice(7)}"}\n\n${ENDED}`), 50);
  });
  const proxy = await openProxy(url);
  const response = await proxy.post('/v1/messages', bodyOf(true));
  const text = await response.text();
  expect(text).toContain('"text"');
  expect([...response.headers.values()].join() + text).not.toContain(REAL_KEY);
  expect(proxy.used()).toMatchObject({ usage: { input_tokens: 100, output_tokens: 50 } });
});

test('keeps the real key from the agent where an error is cut', async () => {
  const url = await serveUntilEnd((_req, res) => {
    res.writeHead(400, { 'content-type': 'text/plain' }).end('x'.repeat(256 * 1024 - 9) + REAL_KEY);
  });
  const response = await (await openProxy(url)).post('/v1/messages', bodyOf(true));
  expect(response.status).toBe(400);
  expect(await response.text()).not.toContain(REAL_KEY.slice(0, 9));
});

test('counts a stream that is compressed though nobody asked for it', async () => {
  const url = await serveUntilEnd((_req, res) => {
    res.writeHead(200, { 'content-type': 'text/event-stream', 'content-encoding': 'gzip' });
    res.end(gzipSync(STARTED + ENDED));
  });
  const proxy = await openProxy(url);
  expect(await (await proxy.post('/v1/messages', bodyOf(true))).text()).toContain('message_delta');
  expect(proxy.used()).toMatchObject({ usage: { input_tokens: 100, output_tokens: 50 }, cost: { amount: 0.6 } });
});

test('answers 502 at once when the provider switches the protocol', async () => {
  const server = createServer((socket) => {
    socket.on('error', () => {});
    socket.once('data', () => socket.write('HTTP/1.1 101 Switching\r\nupgrade: x\r\nconnection: upgrade\r\n\r\n'));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  try {
    const proxy = await openProxy(`http://127.0.0.1:${Object(server.address()).port}`);
    expect((await proxy.post('/v1/messages', bodyOf(true))).status).toBe(502);
  } finally {
    server.close();
  }
});

test('bounds what a provider says was used', async () => {
  const huge = { input_tokens: Number.MAX_SAFE_INTEGER, output_tokens: Number.MAX_SAFE_INTEGER };
  const url = await serveUntilEnd((_req, res) => {
    res.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify({ model: 'm', usage: huge }));
  });
  const proxy = await openProxy(url);
  await (await proxy.post('/v1/messages', bodyOf(false))).text();
  expect(proxy.used()?.usage).toMatchObject({ input_tokens: 1e9, output_tokens: 1e9 });
});

test('refuses a body of very many values, and takes the same characters as a text', async () => {
  const url = await serveUntilEnd((_req, res) => res.writeHead(200, { 'content-type': 'application/json' }).end('{}'));
  const proxy = await openProxy(url);
  const values = '[],'.repeat(600_000);
  const body = (x: string) => `{"model":"m","max_tokens":1,"x":${x}}`;
  expect((await proxy.post('/v1/messages', body(`[${values}1]`))).status).toBe(413);
  expect((await proxy.post('/v1/messages', body(JSON.stringify(values)))).status).toBe(200);
});
