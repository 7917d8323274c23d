import { once } from 'node:events';
import { connect } from 'node:net';
import { afterEach, expect, test } from '@jest/globals';
import { createLogger } from '../logger.ts';
import { listen } from '../testing/listen.ts';
import { until } from '../testing/until.ts';
import { createHttpApp, finishApp } from './app.ts';
import { IDLE_UPSTREAM_MS, type RunningServer } from './serve.ts';

let running: RunningServer;
afterEach(() => running.close());

async function start(headersTimeoutMs?: number) {
  const app = createHttpApp();
  const lifecycle = { stopping: false };
  const slow: (() => void)[] = [];
  app.get('/slow', (_req, res) => void slow.push(() => res.json({ done: true })));
  app.get('/value-error', () => {
    throw new TypeError('a secret of the code');
  });
  finishApp(app, createLogger('test', 'silent'));
  running = await listen(app, { lifecycle, headersTimeoutMs });
  return { url: `http://127.0.0.1:${running.port}`, lifecycle, slow };
}

/** Sends raw bytes and returns the response until the server closes. */
function exchange(bytes: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect(running.port, '127.0.0.1', () => socket.write(bytes));
    let answer = '';
    socket.on('data', (chunk) => {
      answer += chunk;
    });
    socket.on('close', () => resolve(answer));
    socket.on('error', reject);
  });
}

test('creates requests and responses with the prototypes of the app', async () => {
  const app = createHttpApp();
  running = await listen(app);
  const made: unknown[] = [];
  running.server.prependListener('request', (req, res) => {
    made.push(Object.getPrototypeOf(req), Object.getPrototypeOf(res));
  });
  await (await fetch(`http://127.0.0.1:${running.port}/`)).text();
  expect(made[0]).toBe(app.request);
  expect(made[1]).toBe(app.response);
});

test('starts the requests of a connection in their order, with or without a body', async () => {
  const started: string[] = [];
  const app = createHttpApp((req, _res, next) => {
    started.push(`${req.method} ${req.url}`);
    next();
  });
  app.use((_req, res) => void res.end());
  running = await listen(app);
  const requests = ['GET /1', 'POST /2', 'GET /3', 'GET /4'].map(
    (line) => `${line} HTTP/1.1\r\nHost: a\r\nContent-Length: ${line.startsWith('POST') ? '1\r\n\r\n.' : '0\r\n\r\n'}`,
  );
  await exchange(`${requests.join('')}GET /5 HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n`);
  expect(started).toEqual(['GET /1', 'POST /2', 'GET /3', 'GET /4', 'GET /5']);
});

test('survives clients that disconnect right after a CONNECT', async () => {
  await start();
  for (let times = 0; times < 20; times++) {
    const client = connect(running.port, '127.0.0.1');
    await once(client, 'connect');
    client.write('CONNECT a:1 HTTP/1.1\r\nHost: a:1\r\n\r\n', () => client.resetAndDestroy());
    await once(client, 'close');
  }
  expect((await fetch(`http://127.0.0.1:${running.port}/nothing`)).status).toBe(404);
});

test('responds to CONNECT with the allowed methods', async () => {
  await start();
  expect(await exchange('CONNECT a:1 HTTP/1.1\r\nHost: a:1\r\n\r\n')).toMatch(/\r\nallow: GET, /);
});

test('responds 408 to headers that take too long', async () => {
  await start(500);
  const begin = Date.now();
  const answer = await exchange('GET / HTTP/1.1\r\nHost: a\r\n');
  expect(answer).toMatch(/^HTTP\/1.1 408 .*"request_timeout"/s);
  // The default is 40 s.
  expect(Date.now() - begin).toBeLessThan(20_000);
});

test('keeps idle connections longer than the gateway does', async () => {
  await start();
  expect(running.server.headersTimeout).toBeGreaterThan(IDLE_UPSTREAM_MS);
  expect(running.server.requestTimeout).toBeGreaterThan(IDLE_UPSTREAM_MS);
  expect(running.server.keepAliveTimeout).toBeGreaterThan(IDLE_UPSTREAM_MS);
});

test('keeps the connection open after a short unread body', async () => {
  await start();
  const body = 'x'.repeat(10_000);
  const bytes = `POST /no HTTP/1.1\r\nHost: a\r\nContent-Length: ${body.length}\r\n\r\n${body}`;
  const answer = await exchange(`${bytes}GET /neither HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n`);
  expect(answer.match(/HTTP\/1\.1 404 /g)).toHaveLength(2);
});

test('responds 500 without the cause', async () => {
  const { url } = await start();
  const response = await fetch(`${url}/value-error`, { headers: { 'x-request-id': 'mine' } });
  expect(response.status).toBe(500);
  expect(response.headers.get('x-request-id')).toBe('mine');
  expect(await response.json()).toEqual({ error: 'internal_error', message: 'An unexpected error occurred' });
});

test('close completes requests in flight and accepts no new ones', async () => {
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
