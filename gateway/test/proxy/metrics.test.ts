import { until } from '@agent-fleet/shared/testing/until';
import { expect, test } from '@jest/globals';
import { Registry } from 'prom-client';
import type { ServiceProxy } from '../../src/proxy/service-proxy.ts';
import { exposeUpstreams } from '../../src/proxy/upstream-metrics.ts';
import { respondOk, startProxy, startTcpUpstream } from '../support/proxy.ts';
import { FIRST, SECOND, sendRequests, startProbingProxy, startReplicas, TWO } from '../support/replicas.ts';

/** Reads the metrics of upstreams by series. */
function expose(upstreams: Record<string, ServiceProxy>) {
  const registry = new Registry();
  exposeUpstreams(registry, upstreams);
  return async () => {
    const lines = (await registry.metrics()).split('\n').filter((line) => line.startsWith('gateway_upstream'));
    const series = lines.map((line) => line.split(' ') as [string, string]);
    return Object.fromEntries(series.map(([name, value]) => [name.replace('gateway_upstream_', ''), Number(value)]));
  };
}

test('requests are counted by replica and outcome', async () => {
  const { url } = await startReplicas([FIRST], (req, res) => {
    const { status = '200' } = req.headers;
    if (status === 'none') return;
    if (status === 'broken') req.socket.destroy();
    else res.writeHead(Number(status)).end();
  });
  const { origin, proxy } = await startProbingProxy(url, [FIRST], { timeoutMs: 3_000 });
  const read = expose({ agents: proxy });
  const counted = async (outcome: string) =>
    (await read())[`requests_total{upstream="agents",replica="${FIRST}",outcome="${outcome}"}`];
  const post = (status: string) => fetch(`${origin}/agents`, { method: 'POST', headers: { status } });
  for (const status of ['200', '204', '304', '404', '500', '503', 'broken', 'none']) await post(status);
  const outcomes = ['2xx', '3xx', '4xx', '5xx', 'broken', 'timeout', 'unreachable', 'abandoned'];
  expect(await Promise.all(outcomes.map(counted))).toEqual([2, 1, 1, 2, 1, 1, 0, 0]);
  const client = new AbortController();
  const abandoned = fetch(`${origin}/agents`, { headers: { status: 'none' }, signal: client.signal }).catch(() => {});
  await until(() => proxy.states()[0]?.inFlight === 1);
  client.abort();
  await abandoned;
  await until(() => proxy.states()[0]?.inFlight === 0);
  expect(await counted('abandoned')).toBe(1);
});

test('retries are counted for each service', async () => {
  let broken = 0;
  const upstream = await startTcpUpstream((socket) => {
    socket.on('data', () => {
      if (broken++ === 0) socket.destroy();
      else socket.write('HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok');
    });
  });
  const agents = await startProxy(upstream.url);
  const registry = await startProxy(upstream.url);
  const read = expose({ agents: agents.proxy, registry: registry.proxy });
  expect(await sendRequests(agents.origin, 1)).toEqual([200]);
  expect(await read()).toMatchObject({
    'retries_total{upstream="agents"}': 1,
    'retries_total{upstream="registry"}': 0,
  });
});

test('replicas are counted by state, and series of a removed one end', async () => {
  const held: (() => void)[] = [];
  const { url } = await startReplicas(TWO, (req, res) => {
    const isFirst = req.socket.localAddress === FIRST;
    if (req.url === '/ready') res.writeHead(isFirst ? 200 : 503).end();
    else held.push(() => respondOk(req, res));
  });
  let addresses = TWO;
  const { origin, proxy } = await startProbingProxy(url, TWO, { resolve: async () => addresses });
  const read = expose({ agents: proxy });
  await until(() => proxy.states()[1]?.state === 'unhealthy');
  const response = sendRequests(origin, 1);
  await until(() => held.length === 1);
  expect(await read()).toMatchObject({
    'replicas{upstream="agents",state="up"}': 1,
    'replicas{upstream="agents",state="unhealthy"}': 1,
    [`in_flight{upstream="agents",replica="${FIRST}"}`]: 1,
  });
  held[0]?.();
  await response;
  addresses = [FIRST];
  await until(() => proxy.states().length === 1 && proxy.figures().replicas.length === 1);
  expect(Object.keys(await read()).filter((series) => series.includes(SECOND))).toEqual([]);
});
