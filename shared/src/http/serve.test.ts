import { once } from 'node:events';
import { connect } from 'node:net';
import { afterEach, describe, expect, test } from '@jest/globals';
import { createLogger } from '../logger.ts';
import { until } from '../testing/until.ts';
import { createHttpApp, finishApp } from './app.ts';
import { IDLE_UPSTREAM_MS, type RunningServer, serve } from './serve.ts';

let running: RunningServer;
afterEach(() => running.close());

async function start(drainSeconds = 0, headersTimeoutMs?: number) {
  const app = createHttpApp();
  const lifecycle = { stopping: false };
  const slow: (() => void)[] = [];
  app.get('/slow', (_req, res) => void slow.push(() => res.json({ done: true })));
  app.get('/value-error', () => {
    throw new TypeError('a secret of the code');
  });
  finishApp(app, createLogger('test', 'silent'));
  running = await serve(app, { host: '127.0.0.1', port: 0, lifecycle, drainSeconds, headersTimeoutMs });
  return { url: `http://127.0.0.1:${running.port}`, lifecycle, slow };
}

/** Sends raw bytes, `later` ones once an answer has begun, and gives all that comes back until the server closes. */
function exchange(bytes: string, later = ''): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect(running.port, '127.0.0.1', () => socket.write(bytes));
    let answer = '';
    socket.once('data', () => socket.write(later));
    socket.on('data', (chunk) => {
      answer += chunk;
    });
    socket.on('close', () => resolve(answer));
    socket.on('error', reject);
  });
}

test('requests and responses are made with the prototypes that Express would give them', async () => {
  const app = createHttpApp();
  running = await serve(app, { host: '127.0.0.1', port: 0, lifecycle: { stopping: false }, drainSeconds: 0 });
  const made: unknown[] = [];
  running.server.prependListener('request', (req, res) => {
    made.push(Object.getPrototypeOf(req), Object.getPrototypeOf(res));
  });
  await (await fetch(`http://127.0.0.1:${running.port}/`)).text();
  expect(made[0]).toBe(app.request);
  expect(made[1]).toBe(app.response);
});

test('requests of one connection start in their order, with a body or without', async () => {
  const started: string[] = [];
  const app = createHttpApp((req, _res, next) => {
    started.push(`${req.method} ${req.url}`);
    next();
  });
  app.use((_req, res) => void res.end());
  running = await serve(app, { host: '127.0.0.1', port: 0, lifecycle: { stopping: false }, drainSeconds: 0 });
  const requests = ['GET /1', 'POST /2', 'GET /3', 'GET /4'].map(
    (line) => `${line} HTTP/1.1\r\nHost: a\r\nContent-Length: ${line.startsWith('POST') ? '1\r\n\r\n.' : '0\r\n\r\n'}`,
  );
  await exchange(`${requests.join('')}GET /5 HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n`);
  expect(started).toEqual(['GET /1', 'POST /2', 'GET /3', 'GET /4', 'GET /5']);
});

test('a client that goes right after a CONNECT takes nothing down', async () => {
  await start();
  for (let times = 0; times < 20; times++) {
    const client = connect(running.port, '127.0.0.1');
    await once(client, 'connect');
    client.write('CONNECT a:1 HTTP/1.1\r\nHost: a:1\r\n\r\n', () => client.resetAndDestroy());
    await once(client, 'close');
  }
  expect((await fetch(`http://127.0.0.1:${running.port}/nothing`)).status).toBe(404);
});

test.each([
  ['garbage', 'garbage\r\n\r\n', 400],
  ['a CONNECT', 'CONNECT a:1 HTTP/1.1\r\nHost: a:1\r\n\r\n', 405],
])('a request is answered before %s behind it', async (_what, bytes, status) => {
  const app = createHttpApp();
  app.use((_req, res) => void res.end());
  running = await serve(app, { host: '127.0.0.1', port: 0, lifecycle: { stopping: false }, drainSeconds: 0 });
  const answer = await exchange(`GET /first HTTP/1.1\r\nHost: a\r\n\r\n${bytes}`);
  expect(answer.match(/(?<=HTTP\/1\.1 )\d+/g)?.[0]).toBe('200');
  expect(answer).not.toMatch(new RegExp(`^HTTP/1.1 ${status}`));
});

describe('what the parser refuses', () => {
  test.each([
    ['not HTTP', 'nonsense\r\n\r\n', 400, 'validation_error'],
    [
      'both lengths',
      'POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n',
      400,
      'validation_error',
    ],
    ['large headers', `GET / HTTP/1.1\r\nHost: a\r\nX: ${'x'.repeat(70_000)}\r\n\r\n`, 431, 'headers_too_large'],
    ['CONNECT', 'CONNECT a:1 HTTP/1.1\r\nHost: a:1\r\n\r\n', 405, 'method_not_allowed'],
  ])('%s gets our error body and a request id', async (_what, bytes, status, error) => {
    await start();
    const answer = await exchange(bytes);
    expect(answer).toMatch(new RegExp(`^HTTP/1.1 ${status} `));
    expect(answer).toMatch(/x-request-id: [\w-]{36}\r\n/);
    expect(JSON.parse(answer.slice(answer.indexOf('\r\n\r\n'))).error).toBe(error);
  });

  test('a refusal also answers the second request of a connection', async () => {
    await start();
    const large = `GET / HTTP/1.1\r\nX: ${'x'.repeat(70_000)}\r\n\r\n`;
    const answer = await exchange('GET /no HTTP/1.1\r\nHost: a\r\n\r\n', large);
    expect(answer).toMatch(/^HTTP\/1\.1 404 .*"not_found".*HTTP\/1\.1 431 .*"headers_too_large"/s);
  });

  test('CONNECT is told what is allowed', async () => {
    await start();
    expect(await exchange('CONNECT a:1 HTTP/1.1\r\nHost: a:1\r\n\r\n')).toMatch(/\r\nallow: GET, /);
  });

  test('headers that take too long are cut', async () => {
    await start(0, 500);
    const begin = Date.now();
    const answer = await exchange('GET / HTTP/1.1\r\nHost: a\r\n');
    expect(answer).toMatch(/^HTTP\/1.1 408 .*"request_timeout"/s);
    // By default it would be 40 s.
    expect(Date.now() - begin).toBeLessThan(20_000);
  });

  test('a service gives a connection that nothing has come on longer than the gateway keeps one', async () => {
    await start();
    expect(running.server.headersTimeout).toBeGreaterThan(IDLE_UPSTREAM_MS);
    expect(running.server.requestTimeout).toBeGreaterThan(IDLE_UPSTREAM_MS);
    expect(running.server.keepAliveTimeout).toBeGreaterThan(IDLE_UPSTREAM_MS);
  });
});

describe('errors', () => {
  test('keeps the connection after a short body that nothing has read', async () => {
    await start();
    const body = 'x'.repeat(10_000);
    const bytes = `POST /no HTTP/1.1\r\nHost: a\r\nContent-Length: ${body.length}\r\n\r\n${body}`;
    const answer = await exchange(`${bytes}GET /neither HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n`);
    expect(answer.match(/HTTP\/1\.1 404 /g)).toHaveLength(2);
  });

  test('an unknown expectation is ignored', async () => {
    await start();
    const answer = await exchange('GET /no HTTP/1.1\r\nHost: a\r\nExpect: tea\r\nConnection: close\r\n\r\n');
    expect(answer).toMatch(/^HTTP\/1\.1 404 .*"not_found"/s);
  });

  test('a 500 tells nothing of its cause', async () => {
    const { url } = await start();
    const response = await fetch(`${url}/value-error`, { headers: { 'x-request-id': 'mine' } });
    expect(response.status).toBe(500);
    expect(response.headers.get('x-request-id')).toBe('mine');
    expect(await response.json()).toEqual({ error: 'internal_error', message: 'An unexpected error occurred' });
  });
});

describe('close', () => {
  test('lets requests in flight end, and takes no new ones', async () => {
    const { url, lifecycle, slow } = await start();
    const answer = fetch(`${url}/slow`);
    await until(() => slow.length === 1);
    const closed = running.close();
    expect(lifecycle.stopping).toBe(true);
    await until(() => !running.server.listening);
    await expect(fetch(`${url}/slow`)).rejects.toThrow();
    slow[0]?.();
    expect(await (await answer).json()).toEqual({ done: true });
    await closed;
  });
});

describe('leave', () => {
  test('takes no connections, and serves those that it has until they have been asked to close', async () => {
    const { lifecycle, url } = await start();
    const socket = connect(running.port, '127.0.0.1');
    await once(socket, 'connect');
    const ask = async () => {
      socket.write('GET /no HTTP/1.1\r\nHost: a\r\n\r\n');
      return String((await once(socket, 'data'))[0]);
    };
    expect(await ask()).toMatch(/\r\nConnection: keep-alive\r\n/i);
    const left = running.leave(15);
    await expect(fetch(`${url}/no`)).rejects.toThrow();
    expect(await ask()).toMatch(/\r\nConnection: close\r\n/i);
    // Of the whole service nothing is said: others go on.
    expect(lifecycle.stopping).toBe(false);
    const began = Date.now();
    await left;
    expect(Date.now() - began).toBeLessThan(10_000);
  });

  test('closes connections that stay idle, and lets requests in flight end', async () => {
    const { url, slow } = await start();
    const idle = connect(running.port, '127.0.0.1').resume();
    const isClosed = once(idle, 'close');
    await once(idle, 'connect');
    const answer = fetch(`${url}/slow`);
    await until(() => slow.length === 1);
    const left = running.leave(0);
    await isClosed;
    slow[0]?.();
    expect(await (await answer).json()).toEqual({ done: true });
    await left;
  });
});
