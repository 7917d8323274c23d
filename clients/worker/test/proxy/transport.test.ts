import { once } from 'node:events';
import { get, type IncomingMessage, request, type ServerResponse } from 'node:http';
import { serveUntilEnd } from '@agent-fleet/scripts/testing/serve-until-end';
import { until } from '@agent-fleet/shared/testing/until';
import { expect, test } from '@jest/globals';
import { bodyOf, FORMS, openProxy, startModel } from '../support/model-proxy.ts';

test.each(FORMS)('passes errors of $api on unchanged', async ({ provider, path }) => {
  for (const status of [429, 500]) {
    const reply = { status, message: 'too fast', retryAfterSeconds: 7 };
    const model = await startModel(() => reply);
    const proxy = await openProxy(model.url, { provider });
    const response = await proxy.post(path(true), bodyOf(true));
    expect(response.status).toBe(status);
    expect(response.headers.get('retry-after')).toBe('7');
    expect(await response.json()).toMatchObject({ error: { message: 'too fast' } });
    expect(model.requests).toHaveLength(1);
  }
});

test.each(FORMS)('answers 502 in the form of $api when the provider is down', async ({ provider, path }) => {
  const proxy = await openProxy('http://127.0.0.1:1', { provider });
  const response = await proxy.post(path(true), bodyOf(true));
  expect(response.status).toBe(502);
  expect(await response.json()).toMatchObject({ error: { message: expect.stringContaining('cannot be reached') } });
  expect(proxy.used()).toBeUndefined();
});

test('does not follow redirects', async () => {
  const paths: (string | undefined)[] = [];
  const url = await serveUntilEnd((req, res) => {
    paths.push(req.url);
    res.writeHead(307, { location: '/elsewhere' }).end();
  });
  const proxy = await openProxy(`${url}/team/llm/`);
  expect((await proxy.post('/v1/messages?beta=true&x=y', bodyOf(true))).status).toBe(502);
  expect(paths).toEqual(['/team/llm/v1/messages?beta=true']);
});

/** What the proxy has passed on, it has metered. */
async function readPiece(response: Response): Promise<ReadableStreamDefaultReader<Uint8Array>> {
  const reader = (response.body as ReadableStream<Uint8Array>).getReader();
  await reader.read();
  return reader;
}

test('passes each piece of a stream on as it comes', async () => {
  let provider: ServerResponse | undefined;
  const url = await serveUntilEnd((_req, res) => {
    provider = res.writeHead(200, { 'content-type': 'text/event-stream' });
    res.write('data: 1\n\n');
  });
  const proxy = await openProxy(url);
  const response = await proxy.post('/v1/messages', bodyOf(true));
  const reader = (response.body as ReadableStream<Uint8Array>).getReader();
  for (const piece of ['data: 1\n\n', 'data: 2', '\n']) {
    if (piece !== 'data: 1\n\n') provider?.write(piece);
    expect(Buffer.from((await reader.read()).value ?? []).toString()).toBe(piece);
  }
  provider?.end();
  expect((await reader.read()).done).toBe(true);
});

test('ends the call to the provider when the agent goes away, and charges what was seen', async () => {
  for (const hang of ['headers', 'stream'] as const) {
    const model = await startModel(() => ({ hang }));
    const proxy = await openProxy(model.url);
    const aborts = new AbortController();
    const body = JSON.stringify(bodyOf(true));
    const call = proxy.post('/v1/messages', body, { signal: aborts.signal });
    call.catch(() => {});
    if (hang === 'stream') await readPiece(await call);
    else await until(() => model.requests.length === 1);
    aborts.abort();
    await until(() => model.requests[0]?.ended === 'aborted');
    await until(() => proxy.reported.length === 1);
    const input = hang === 'stream' ? 100 : Math.ceil(body.length / 4);
    expect(proxy.used()?.usage).toMatchObject({ input_tokens: input });
  }
});

test('ends running calls when the attempt is closed, and charges them at once', async () => {
  const model = await startModel(() => ({ hang: 'stream' }));
  const proxy = await openProxy(model.url);
  const reader = await readPiece(await proxy.post('/v1/messages', bodyOf(true)));
  proxy.close();
  expect(proxy.used()?.usage).toMatchObject({ input_tokens: 100 });
  await expect(reader.read()).rejects.toThrow();
  await until(() => model.requests[0]?.ended === 'aborted');
  expect(proxy.reported).toHaveLength(1);
});

test('cuts a response that the provider cuts', async () => {
  const url = await serveUntilEnd((_req, res) => {
    res.writeHead(200, { 'content-type': 'text/event-stream' }).write('data: {}\n\n', () => res.destroy());
  });
  const proxy = await openProxy(url);
  const response = await proxy.post('/v1/messages', bodyOf(true));
  await expect(response.text()).rejects.toThrow();
  expect(await until(() => proxy.used()?.usage)).toMatchObject({ output_tokens: 0 });
  expect(proxy.errors).toEqual([]);
});

test('reads no faster from the provider than the agent does', async () => {
  let sent = 0;
  const piece = Buffer.alloc(64 * 1024, 'x');
  const url = await serveUntilEnd((_req, res) => {
    res.writeHead(200, { 'content-type': 'text/event-stream' });
    const send = () => {
      while (!res.destroyed && sent < 500 * 1024 * 1024) {
        sent += piece.length;
        if (!res.write(piece)) return void res.once('drain', send);
      }
    };
    send();
  });
  const proxy = await openProxy(url);
  const { hostname, port, pathname } = new URL(proxy.baseUrl);
  const headers = { 'x-api-key': proxy.key };
  const call = request({ hostname, port, path: `${pathname}/v1/messages`, method: 'POST', headers });
  call.on('error', () => {});
  call.end(JSON.stringify(bodyOf(true)));
  const [response] = (await once(call, 'response')) as [IncomingMessage];
  let before = -1;
  while (before !== sent) {
    before = sent;
    await new Promise((resolve) => setTimeout(resolve, 150));
  }
  // Buffers of the sockets on the way, of which the kernel chooses the size.
  expect(sent).toBeLessThan(32 * 1024 * 1024);
  response.destroy();
});

test('ends a call whose response does not begin, or stops', async () => {
  for (const [hang, deadlines] of [
    ['headers', { firstByteMs: 60, idleMs: 10_000 }],
    ['stream', { firstByteMs: 10_000, idleMs: 60 }],
  ] as const) {
    const model = await startModel(() => ({ hang }));
    const proxy = await openProxy(model.url, { deadlines });
    const response = await proxy.post('/v1/messages', bodyOf(true));
    expect(response.status).toBe(hang === 'headers' ? 504 : 200);
    if (hang === 'stream') await expect(response.text()).rejects.toThrow();
    await until(() => (proxy.used()?.usage?.input_tokens ?? 0) > 0);
  }
});

test('refuses requests that are too large, compressed, in the background, or not JSON', async () => {
  const model = await startModel();
  const proxy = await openProxy(model.url);
  const large = await proxy.post('/v1/messages', `{"model":"m","x":"${'x'.repeat(33 * 1024 * 1024)}"}`);
  expect(large.status).toBe(413);
  expect((await proxy.post('/v1/messages', bodyOf(true), { headers: { 'content-encoding': 'gzip' } })).status).toBe(
    415,
  );
  for (const body of ['nonsense', '[]', '{}', '{"model":7}', '{"model":"m","background":true}']) {
    expect((await proxy.post('/v1/messages', body)).status).toBe(400);
  }
  expect(model.requests).toEqual([]);
});

test('reads a request without end for two seconds after its answer', async () => {
  const model = await startModel();
  const { baseUrl } = await openProxy(model.url);
  const call = request(`${baseUrl}/v1/messages`, { method: 'POST' });
  const closed = new Promise((resolve) => call.once('error', resolve).once('close', resolve));
  const sending = setInterval(() => call.write('x'), 50);
  const [response] = (await once(call, 'response')) as [IncomingMessage];
  expect(response.statusCode).toBe(401);
  await closed;
  clearInterval(sending);
}, 20_000);

test('stops serving when it is closed', async () => {
  const model = await startModel(() => ({ hang: 'stream' }));
  const proxy = await openProxy(model.url);
  const call = proxy.post('/v1/messages', bodyOf(true)).then((response) => response.text());
  call.catch(() => {});
  await until(() => model.requests.length === 1);
  await proxy.proxy.close();
  await expect(call).rejects.toThrow();
  const [error] = await once(get(proxy.baseUrl), 'error');
  expect(error).toMatchObject({ code: 'ECONNREFUSED' });
});

test.each([
  [3600, null, 'false', 1],
  [2, '2', null, 0],
])('a limit of %i s ends a program at once where it is too long to wait', async (seconds, after, retry, times) => {
  const model = await startModel(() => ({ status: 429, retryAfterSeconds: seconds }));
  const proxy = await openProxy(model.url);
  const { status, headers } = await proxy.post('/v1/messages', bodyOf(false));
  expect(status).toBe(429);
  expect([headers.get('retry-after'), headers.get('x-should-retry')]).toEqual([after, retry]);
  expect(proxy.limited).toHaveLength(times);
});
