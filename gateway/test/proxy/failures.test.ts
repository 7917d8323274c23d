import { freePort } from '@agent-fleet/scripts/local/ports';
import { until } from '@agent-fleet/shared/testing/until';
import { afterEach, describe, expect, test } from '@jest/globals';
import { answerOk, closeAll, startGateway, startRawUpstreamServer, startTcpUpstream } from './proxy-fixture.ts';

afterEach(closeAll);

async function errorOf(response: Response) {
  const { error } = (await response.json()) as { error: string };
  return [response.status, error, response.headers.get('retry-after')];
}

describe('before the response has begun', () => {
  test.each(['GET', 'POST'])('%s to a port without a listener is 503 unavailable', async (method) => {
    const { origin } = await startGateway(`http://127.0.0.1:${await freePort()}`);
    expect(await errorOf(await fetch(`${origin}/agents`, { method }))).toEqual([503, 'unavailable', '1']);
  });

  test('a host name without an address is 503 unavailable', async () => {
    const { origin } = await startGateway('http://agents.invalid:80', {
      resolve: () => Promise.reject(new Error('no')),
    });
    const answer = await fetch(`${origin}/agents`, { method: 'POST', body: 'x'.repeat(100_000) });
    expect(await errorOf(answer)).toEqual([503, 'unavailable', '1']);
  });

  test.each([
    ['no HTTP', 'SSH-2.0-OpenSSH_9.2\r\n'],
    ['a bad status', 'HTTP/1.1 abc OK\r\n\r\n'],
    ['two lengths', 'HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab'],
    [
      'an upgrade that nobody asked for',
      'HTTP/1.1 101 Switching Protocols\r\nConnection: upgrade\r\nUpgrade: x\r\n\r\n',
    ],
    ['too long a head', `HTTP/1.1 200 OK\r\nX: ${'x'.repeat(100_000)}\r\n\r\n`],
  ])('%s as a response is 502 upstream_error without a retry', async (_name, bytes) => {
    let asked = 0;
    const upstream = await startTcpUpstream((socket) => {
      socket.once('data', () => {
        asked++;
        socket.write(bytes, 'latin1');
      });
    });
    const { origin } = await startGateway(upstream.url);
    expect(await errorOf(await fetch(`${origin}/agents`))).toEqual([502, 'upstream_error', null]);
    expect(asked).toBe(1);
  });

  test('no response in time is 504 upstream_timeout', async () => {
    const upstream = await startRawUpstreamServer(() => {});
    const { origin } = await startGateway(upstream.url, { timeoutMs: 300 });
    expect(await errorOf(await fetch(`${origin}/agents`))).toEqual([504, 'upstream_timeout', null]);
    expect(await errorOf(await fetch(`${origin}/agents`, { method: 'POST', body: 'a' }))).toEqual([
      504,
      'upstream_timeout',
      null,
    ]);
  });

  test('a slow response within the deadline is forwarded', async () => {
    const upstream = await startRawUpstreamServer((req, res) => setTimeout(() => answerOk(req, res), 700));
    const { origin } = await startGateway(upstream.url, { timeoutMs: 30_000 });
    expect((await fetch(`${origin}/agents`)).status).toBe(200);
  });
});

/** A service that breaks `times` connections before it answers. */
async function startShaky(times: number, end: 'destroy' | 'resetAndDestroy' = 'destroy') {
  const asked: string[] = [];
  const upstream = await startTcpUpstream((socket) => {
    socket.on('data', (bytes) => {
      asked.push(String(bytes).split(' ')[0] as string);
      if (asked.length <= times) socket[end]();
      else socket.write('HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok');
    });
  });
  return { ...upstream, asked };
}

describe('retries', () => {
  test.each(['GET', 'HEAD'])('%s is sent up to three times when the connection breaks', async (method) => {
    const upstream = await startShaky(2);
    const { origin } = await startGateway(upstream.url);
    expect((await fetch(`${origin}/agents`, { method })).status).toBe(200);
    expect(upstream.asked).toEqual([method, method, method]);
  });

  test('GET is not sent a fourth time', async () => {
    const upstream = await startShaky(3, 'resetAndDestroy');
    const { origin } = await startGateway(upstream.url);
    expect(await errorOf(await fetch(`${origin}/agents`))).toEqual([502, 'upstream_error', null]);
    expect(upstream.asked).toHaveLength(3);
  });

  test.each(['POST', 'PUT', 'DELETE', 'OPTIONS'])('%s is never retried', async (method) => {
    const upstream = await startShaky(1);
    const { origin } = await startGateway(upstream.url);
    expect(await errorOf(await fetch(`${origin}/agents`, { method }))).toEqual([502, 'upstream_error', null]);
    expect(upstream.asked).toEqual([method]);
  });

  test('a request whose response has begun is never retried', async () => {
    let asked = 0;
    const upstream = await startTcpUpstream((socket) => {
      socket.once('data', () => {
        asked++;
        socket.write('HTTP/1.1 200 OK\r\nContent-', () => socket.destroy());
      });
    });
    const { origin } = await startGateway(upstream.url);
    expect(await errorOf(await fetch(`${origin}/agents`))).toEqual([502, 'upstream_error', null]);
    expect(asked).toBe(1);
  });

  test('retries are limited by a budget', async () => {
    const upstream = await startShaky(Number.POSITIVE_INFINITY);
    const { origin } = await startGateway(upstream.url);
    for (let n = 0; n < 50; n++) await fetch(`${origin}/agents`);
    expect(upstream.asked.length).toBeGreaterThanOrEqual(60);
    expect(upstream.asked.length).toBeLessThan(75);
  });

  test('an idle connection that the service closed causes no error', async () => {
    const upstream = await startRawUpstreamServer(answerOk);
    const { origin } = await startGateway(upstream.url);
    for (let n = 0; n < 5; n++) {
      expect((await fetch(`${origin}/agents`, { method: 'POST', body: 'a' })).status).toBe(200);
      upstream.server.closeAllConnections();
      await until(() => true);
    }
  });
});
