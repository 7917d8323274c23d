import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import type { IncomingMessage } from 'node:http';
import { until } from '@agent-fleet/shared/testing/until';
import { afterEach, describe, expect, test } from '@jest/globals';
import {
  answerOk,
  closeAll,
  exchangeRaw,
  RawClient,
  startGateway,
  startPair,
  startTcpUpstream,
  startUpstream,
  statusesIn,
} from './proxy-fixture.ts';

afterEach(closeAll);

const GET = 'GET /agents HTTP/1.1\r\nHost: a\r\n\r\n';

test('the transport is undici, not the one of http-proxy-middleware', async () => {
  const upstream = await startUpstream();
  const { port } = await startGateway(upstream.url);
  const used: string[] = [];
  const note = (_message: unknown, channel: string | symbol) => used.push(String(channel));
  const channels = ['undici:request:create', 'http.client.request.start'];
  for (const channel of channels) subscribe(channel, note);
  const answer = await new RawClient(port).send(GET).until((text) => text.includes('"ok"'));
  for (const channel of channels) unsubscribe(channel, note);
  expect(statusesIn(answer)).toEqual([200]);
  expect(used).toEqual(['undici:request:create']);
});

describe('an answer', () => {
  test('of known length is passed with it, head and body in one piece', async () => {
    const upstream = await startUpstream();
    const { port } = await startGateway(upstream.url);
    const client = new RawClient(port);
    const pieces: string[] = [];
    client.socket.on('data', (chunk) => pieces.push(String(chunk)));
    client.send(GET);
    await client.until((text) => text.includes('"ok"'));
    expect(pieces).toHaveLength(1);
    expect(pieces[0]).toMatch(/content-length: 11\r\n/i);
  });

  test.each([204, 304])('%i ends with its head', async (status) => {
    const { gateway } = await startPair((_req, res) => res.writeHead(status, { etag: '"e"' }).end());
    const answer = await exchangeRaw(gateway.port, `${GET}GET /2 HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n`);
    expect(statusesIn(answer)).toEqual([status, status]);
    expect(answer).not.toMatch(/content-length|transfer-encoding/i);
    expect(answer.split('\r\n\r\n')[2]).toBe('');
  });

  test('to HEAD has the length but no body, and the connection to the service is kept', async () => {
    const connections = new Set<unknown>();
    const { gateway } = await startPair((req, res) => {
      connections.add(req.socket);
      answerOk(req, res);
    });
    const head = 'HEAD /agents HTTP/1.1\r\nHost: a\r\n';
    const answer = await exchangeRaw(gateway.port, `${head}\r\n${head}Connection: close\r\n\r\n`);
    expect(statusesIn(answer)).toEqual([200, 200]);
    expect(answer.match(/content-length: 11/gi)).toHaveLength(2);
    expect(answer).not.toContain('"ok"');
    for (let n = 0; n < 5; n++) await fetch(`${gateway.origin}/agents`, { method: 'HEAD' });
    expect(connections.size).toBeLessThanOrEqual(2);
  });

  test('that is empty comes back empty', async () => {
    const { gateway } = await startPair((_req, res) => res.writeHead(200, { 'content-length': 0 }).end());
    const answer = await fetch(`${gateway.origin}/agents`);
    expect([answer.status, await answer.text()]).toEqual([200, '']);
  });

  test('without a length is passed chunk by chunk, its trailers and 1xx left out', async () => {
    const { gateway } = await startPair((_req, res) => {
      res.writeProcessing();
      res.writeEarlyHints({ link: '</a.css>; rel=preload; as=style' });
      res.writeHead(200, { trailer: 'X-Trailer' });
      res.write('abc');
      res.addTrailers({ 'X-Trailer': 'secret' });
      res.end('def');
    });
    const client = new RawClient(gateway.port).send(GET);
    const answer = await client.until((text) => text.endsWith('0\r\n\r\n'));
    expect(statusesIn(answer)).toEqual([200]);
    expect(answer).not.toMatch(/trailer/i);
    expect(answer.replace(/\r\n|^[36]$/gm, '')).toContain('abc');
  });
});

describe('a client that goes away', () => {
  test('before the answer begins aborts the request at the service', async () => {
    let req: IncomingMessage | undefined;
    const { gateway } = await startPair(
      (received) => {
        req = received;
      },
      { timeoutMs: 60_000 },
    );
    const client = new RawClient(gateway.port).send(GET);
    await until(() => req !== undefined);
    client.socket.destroy();
    await until(() => req?.socket.destroyed === true);
    await until(() => gateway.proxy.states()[0]?.inFlight === 0);
  });

  test.each([10, 1_000_000])('within a body of %i bytes leaves nothing behind', async (length) => {
    const { gateway } = await startPair((req) => req.resume());
    const client = new RawClient(gateway.port);
    client.send(`POST /agents HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\nContent-Length: ${length}\r\n\r\nabc`);
    // The gateway has begun with it.
    await client.until((text) => text.includes('100 Continue'));
    client.socket.destroy();
    await until(() => gateway.proxy.states()[0]?.inFlight === 0);
    expect(
      (await fetch(`${gateway.origin}/x`, { signal: AbortSignal.timeout(200) }).catch((error) => error)).name,
    ).toBe('TimeoutError');
  });
});

describe('a service that breaks off within its answer', () => {
  test.each([
    ['of known length', 'Content-Length: 10\r\n\r\nabc'],
    ['in chunks', 'Transfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n'],
  ])("%s: the client's connection breaks, without a clean end", async (_name, rest) => {
    const upstream = await startTcpUpstream((socket) => {
      socket.once('data', () =>
        socket.write(`HTTP/1.1 200 OK\r\n${rest}`, () => setTimeout(() => socket.destroy(), 500)),
      );
    });
    const { port, origin } = await startGateway(upstream.url);
    const answer = await new RawClient(port).send(GET).untilClosed();
    expect(statusesIn(answer)).toEqual([200]);
    expect(answer).toContain('abc');
    expect(answer).not.toContain('0\r\n\r\n');
    await expect(fetch(`${origin}/agents`).then((response) => response.text())).rejects.toThrow();
  });

  test('before any byte of a body of known length: 502', async () => {
    const upstream = await startTcpUpstream((socket) => {
      socket.once('data', () =>
        socket.write('HTTP/1.1 200 OK\r\nContent-Length: 3\r\nETag: "e"\r\n\r\n', () => socket.destroy()),
      );
    });
    const { origin } = await startGateway(upstream.url);
    const answer = await fetch(`${origin}/agents`);
    expect(answer.status).toBe(502);
    expect(answer.headers.has('etag')).toBe(false);
    expect(await answer.json()).toMatchObject({ error: 'upstream_error' });
  });
});
