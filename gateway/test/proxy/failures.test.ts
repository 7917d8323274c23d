import { freePort } from '@agent-fleet/scripts/local/ports';
import { describe, expect, test } from '@jest/globals';
import type { ServiceProxyOptions } from '../../src/proxy/service-proxy.ts';
import type { Route } from '../../src/routing/routes.ts';
import { respondOk, startPair, startProxy, startRawUpstreamServer, startTcpUpstream } from '../support/proxy.ts';
import { startBlackHole } from '../support/replicas.ts';

async function errorOf(origin: string, init?: RequestInit) {
  const response = await fetch(`${origin}/agents`, { signal: AbortSignal.timeout(30_000), ...init });
  const { error } = (await response.json()) as { error: string };
  return [response.status, error, response.headers.get('retry-after')];
}

const UNAVAILABLE = [503, 'unavailable', '1'];
const BROKEN = [502, 'upstream_error', null];
const TIMEOUT = [504, 'upstream_timeout', null];

describe('before the response has begun', () => {
  test.each<[string, () => Promise<string>, Partial<ServiceProxyOptions>]>([
    ['a port without a listener', async () => `http://127.0.0.1:${await freePort()}`, {}],
    ['a host name without an address', async () => 'http://none.invalid:80', { resolve: () => Promise.reject() }],
    ['an address that accepts no connection within a second', startBlackHole, {}],
  ])('%s is 503 unavailable', async (_what, urlOf, options) => {
    const { origin, proxy } = await startProxy(await urlOf(), options);
    for (const init of [{}, { method: 'POST', body: 'x'.repeat(100_000) }]) {
      expect(await errorOf(origin, init)).toEqual(UNAVAILABLE);
    }
    expect(proxy.states().filter(({ state }) => state !== 'unhealthy')).toEqual([]);
  });

  const ok = 'HTTP/1.1 200 OK\r\n';
  const end = 'Content-Length: 0\r\n\r\n';
  const invalid = [
    ...[
      'SSH-2.0-OpenSSH_9.2\r\n',
      `HTTP/1.1 2xx OK\r\n${end}`,
      `HTTP/1.1 20 OK\r\n${end}`,
      `HTTP/1.1 2000 OK\r\n${end}`,
    ],
    ...[`HTTP/1.1 099 Odd\r\n${end}`, `HTTP/1.1 600 Odd\r\n${end}`, 'HTTP/1.1 999 Odd\r\nContent-Length: 2\r\n\r\n{}'],
    'HTTP/1.1 600 Odd\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n',
    'HTTP/1.1 101 Switching Protocols\r\nConnection: upgrade\r\nUpgrade: x\r\n\r\n',
    ...[`${ok}Content-Length: 1\r\nContent-Length: 2\r\n\r\nab`, `${ok}X: ${'x'.repeat(200_000)}\r\n\r\n`],
    // A bare CR.
    ...[`${ok}X-A: b\rX-B: c\r\n${end}`, `${ok}X-A: b\r\r\n${end}`, `${ok}X\rA: b\r\n${end}`, `${ok}X-A:\rb\r\n${end}`],
    ...[`HTTP/1.1 200 OK\r\r\n${end}`, `${ok}Content-Length: 0\r\n\r\r\n`, `HTTP/1.1 200 O\rK\r\n${end}`],
    ...[`HTTP/1.1 200 OK\r${end}`, `HTTP/1.1 200\r${end}`, `${ok}Content-Length: 0\r\n\r{}`],
  ];
  test.each(invalid.map((bytes) => [bytes.slice(0, 80), bytes]))(
    'the response %j is 502 upstream_error, without a retry',
    async (_start, bytes) => {
      let received = 0;
      const upstream = await startTcpUpstream((socket) => {
        socket.once('data', () => {
          received++;
          socket.write(bytes, 'latin1');
        });
      });
      expect(await errorOf((await startProxy(upstream.url)).origin)).toEqual(BROKEN);
      expect(received).toBe(1);
    },
  );

  test('no response in time is 504 upstream_timeout', async () => {
    const { gateway } = await startPair(() => {}, { timeoutMs: 300 });
    expect(await errorOf(gateway.origin)).toEqual(TIMEOUT);
    expect(await errorOf(gateway.origin, { method: 'POST', body: 'a' })).toEqual(TIMEOUT);
  });

  test('the deadline of requests that wait applies to no others', async () => {
    const route: Route = { template: '/leases*', access: 'credentials', upstream: 'agents', mayWait: true };
    const upstream = await startRawUpstreamServer((req, res) => {
      if (req.method === 'POST') setTimeout(() => respondOk(req, res), 1_000);
    });
    const { origin } = await startProxy(upstream.url, { timeoutMs: 300, waitTimeoutMs: 60_000 }, { route });
    expect(await errorOf(origin)).toEqual(TIMEOUT);
    expect((await fetch(`${origin}/leases`, { method: 'POST', body: '{}' })).status).toBe(200);
  });
});

/** A service that breaks `times` connections before it responds. */
async function startShaky(times: number, end: 'destroy' | 'resetAndDestroy' = 'destroy') {
  const received: string[] = [];
  const upstream = await startTcpUpstream((socket) => {
    socket.on('data', (bytes) => {
      received.push(String(bytes).split(' ')[0] as string);
      if (received.length <= times) socket[end]();
      else socket.write('HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok');
    });
  });
  return { origin: (await startProxy(upstream.url)).origin, received };
}

describe('retries', () => {
  test.each(['GET', 'HEAD'])('%s is sent up to three times when the connection breaks', async (method) => {
    const { origin, received } = await startShaky(2);
    expect((await fetch(`${origin}/agents`, { method })).status).toBe(200);
    expect(received).toEqual([method, method, method]);
  });

  test('GET is not sent a fourth time', async () => {
    const { origin, received } = await startShaky(3, 'resetAndDestroy');
    expect(await errorOf(origin)).toEqual(BROKEN);
    expect(received).toHaveLength(3);
  });

  test.each(['POST', 'PUT', 'DELETE', 'OPTIONS'])('%s is never retried', async (method) => {
    const { origin, received } = await startShaky(1);
    expect(await errorOf(origin, { method })).toEqual(BROKEN);
    expect(received).toEqual([method]);
  });

  test('a request whose response has begun is never retried', async () => {
    let received = 0;
    const upstream = await startTcpUpstream((socket) => {
      socket.once('data', () => {
        received++;
        socket.write('HTTP/1.1 200 OK\r\nContent-', () => socket.destroy());
      });
    });
    expect(await errorOf((await startProxy(upstream.url)).origin)).toEqual(BROKEN);
    expect(received).toBe(1);
  });

  test('an idle connection that the service closed causes no error', async () => {
    const { upstream, gateway } = await startPair(respondOk);
    for (let n = 0; n < 5; n++) {
      expect((await fetch(`${gateway.origin}/agents`, { method: 'POST', body: 'a' })).status).toBe(200);
      upstream.server.closeAllConnections();
      await new Promise((resolve) => setImmediate(resolve));
    }
  });
});
