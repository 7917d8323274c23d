import { until } from '@agent-fleet/shared/testing/until';
import { afterEach, describe, expect, test } from '@jest/globals';
import type { Route } from '../../src/routing/route-table.ts';
import { startBlackHole } from '../support/replicas.ts';
import {
  answerOk,
  closeAll,
  RawClient,
  startGateway,
  startPair,
  startRawUpstreamServer,
  statusesIn,
} from './proxy-fixture.ts';

afterEach(closeAll);

describe('a route with a deadline of its own', () => {
  const route: Route = {
    template: '/leases',
    access: 'credentials',
    upstream: 'agents',
    deadline: { responseTimeoutMs: 300, waiting: ['POST'] },
  };

  test('answers 504 when the service takes longer', async () => {
    const upstream = await startRawUpstreamServer(() => {});
    const { origin } = await startGateway(upstream.url, { timeoutMs: 60_000 }, undefined, route);
    // Before the long one.
    const answer = await fetch(`${origin}/leases`, { signal: AbortSignal.timeout(30_000) });
    expect(answer.status).toBe(504);
    expect(await answer.json()).toMatchObject({ error: 'upstream_timeout' });
  });

  test('does not limit methods that wait', async () => {
    const upstream = await startRawUpstreamServer((req, res) => setTimeout(() => answerOk(req, res), 1_000));
    const { origin } = await startGateway(upstream.url, { timeoutMs: 60_000 }, undefined, route);
    expect((await fetch(`${origin}/leases`, { method: 'POST', body: '{}' })).status).toBe(200);
  });
});

test('a client that does not read its response is disconnected, and the request to the service is aborted', async () => {
  let closed = false;
  const { gateway } = await startPair(
    (_req, res) => {
      res.on('close', () => {
        closed = true;
      });
      res.end('x'.repeat(256 * 1024 * 1024));
    },
    { stalledMs: 1_000 },
  );
  const client = new RawClient(gateway.port);
  client.socket.pause();
  client.send('GET /registry.json HTTP/1.1\r\nHost: a\r\n\r\n');
  await until(() => closed && gateway.proxy.states()[0]?.inFlight === 0);
  client.socket.resume();
  await client.untilClosed();
  expect(statusesIn(client.text.slice(0, 100))).toEqual([200]);
  expect(client.text.length).toBeLessThan(128 * 1024 * 1024);
});

test('a connection that is not made within a second is 503 unavailable', async () => {
  const { origin, proxy } = await startGateway(await startBlackHole(), { timeoutMs: 60_000 });
  const answer = await fetch(`${origin}/agents`, { method: 'POST', signal: AbortSignal.timeout(30_000) });
  expect(answer.status).toBe(503);
  expect(await answer.json()).toMatchObject({ error: 'unavailable' });
  expect(proxy.states()[0]?.state).toBe('unhealthy');
});
