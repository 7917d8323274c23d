import type { IncomingMessage } from 'node:http';
import { until } from '@agent-fleet/shared/testing/until';
import { describe, expect, test } from '@jest/globals';
import { respondOk, startPair, startProxy, startTcpUpstream } from '../support/proxy.ts';
import { exchangeRaw, RawClient, statusesIn } from '../support/raw-client.ts';

const GET = 'GET /agents HTTP/1.1\r\nHost: a\r\n\r\n';

describe('a response', () => {
  test('of known length arrives with its length, head and body in one write', async () => {
    const { gateway } = await startPair(respondOk);
    const client = new RawClient(gateway.port);
    const pieces: string[] = [];
    client.socket.on('data', (chunk) => pieces.push(String(chunk)));
    client.send(GET);
    await client.until((text) => text.includes('"ok"'));
    expect(pieces).toEqual([expect.stringMatching(/content-length: 11\r\n/i)]);
  });

  test.each([204, 304])('of status %i ends with its head', async (status) => {
    const { gateway } = await startPair((_req, res) => res.writeHead(status, { etag: '"e"' }).end());
    const response = await exchangeRaw(gateway.port, `${GET}GET /2 HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n`);
    expect(statusesIn(response)).toEqual([status, status]);
    expect(response).not.toMatch(/content-length|transfer-encoding/i);
    expect(response.split('\r\n\r\n')[2]).toBe('');
  });

  test('to HEAD has the length but no body, and the connection to the service is kept', async () => {
    const connections = new Set<unknown>();
    const { gateway } = await startPair((req, res) => {
      connections.add(req.socket);
      respondOk(req, res);
    });
    const head = 'HEAD /agents HTTP/1.1\r\nHost: a\r\n';
    const response = await exchangeRaw(gateway.port, `${head}\r\n${head}Connection: close\r\n\r\n`);
    expect(statusesIn(response)).toEqual([200, 200]);
    expect(response.match(/content-length: 11/gi)).toHaveLength(2);
    expect(response).not.toContain('"ok"');
    for (let n = 0; n < 5; n++) await fetch(`${gateway.origin}/agents`, { method: 'HEAD' });
    expect(connections.size).toBeLessThanOrEqual(2);
  });

  test('without a length is forwarded chunk by chunk, without its trailers and informational responses', async () => {
    const { gateway } = await startPair((_req, res) => {
      res.writeProcessing();
      res.writeEarlyHints({ link: '</a.css>; rel=preload; as=style' });
      res.writeHead(200, { trailer: 'X-Trailer' });
      res.write('abc');
      res.addTrailers({ 'X-Trailer': 'secret' });
      res.end('def');
    });
    const client = new RawClient(gateway.port).send(GET);
    const response = await client.until((text) => text.endsWith('0\r\n\r\n'));
    expect(statusesIn(response)).toEqual([200]);
    expect(response).not.toMatch(/trailer/i);
    expect(response.replace(/\r\n|^[36]$/gm, '')).toContain('abc');
  });
});

describe('a client that disconnects', () => {
  test('before the response begins aborts the request at the service', async () => {
    let req: IncomingMessage | undefined;
    const { gateway } = await startPair((received) => {
      req = received;
    });
    const client = new RawClient(gateway.port).send(GET);
    await until(() => req !== undefined);
    expect(req?.socket.destroyed).toBe(false);
    client.socket.destroy();
    await until(() => req?.socket.destroyed === true);
    await until(() => gateway.proxy.states()[0]?.inFlight === 0);
  });

  test.each([10, 1_000_000])('within a body of %i bytes leaves no request in flight', async (length) => {
    const { gateway } = await startPair((req) => req.resume());
    const client = new RawClient(gateway.port);
    client.send(`POST /agents HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\nContent-Length: ${length}\r\n\r\nabc`);
    // The gateway has begun to forward the response.
    await client.until((text) => text.includes('100 Continue'));
    client.socket.destroy();
    expect(await until(() => gateway.proxy.states()[0]?.inFlight === 0)).toBe(true);
  });
});

describe('a service that disconnects within its response', () => {
  test.each([
    ['of known length', 'Content-Length: 10\r\n\r\nabc'],
    ['in chunks', 'Transfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n'],
  ])('%s breaks the connection of the client, without a clean end', async (_name, rest) => {
    const { url } = await startTcpUpstream((socket) => {
      socket.once('data', () =>
        socket.write(`HTTP/1.1 200 OK\r\n${rest}`, () => setTimeout(() => socket.destroy(), 200)),
      );
    });
    const { port, origin } = await startProxy(url);
    const response = await new RawClient(port).send(GET).untilClosed();
    expect(statusesIn(response)).toEqual([200]);
    expect(response).toContain('abc');
    expect(response).not.toContain('0\r\n\r\n');
    await expect(fetch(`${origin}/agents`).then((response) => response.text())).rejects.toThrow();
  });

  test('before any byte of a body of known length is answered with 502', async () => {
    const { url } = await startTcpUpstream((socket) => {
      socket.once('data', () =>
        socket.write('HTTP/1.1 200 OK\r\nContent-Length: 3\r\nETag: "e"\r\n\r\n', () => socket.destroy()),
      );
    });
    const response = await fetch(`${(await startProxy(url)).origin}/agents`);
    expect([response.status, response.headers.has('etag')]).toEqual([502, false]);
    expect(await response.json()).toMatchObject({ error: 'upstream_error' });
  });
});
