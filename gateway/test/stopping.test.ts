import type { ServerResponse } from 'node:http';
import { until } from '@agent-fleet/shared/testing/until';
import { afterEach, expect, jest, test } from '@jest/globals';
import type { ServiceProxy } from '../src/proxy/service-proxy.ts';
import { endLongExchanges } from '../src/proxy/upstreams.ts';
import { API_KEY, startGateway } from './support/gateway.ts';
import { startPair, startRawUpstreamServer } from './support/proxy.ts';
import { RawClient, statusesIn } from './support/raw-client.ts';

afterEach(() => void jest.useRealTimers());

const HEAD = { 'content-type': 'text/event-stream' };
const CLEAN_END = '0\r\n\r\n';
const get = (path: string) => `GET ${path} HTTP/1.1\r\nHost: a\r\nX-API-Key: ${API_KEY}\r\n\r\n`;

/** A service that streams `/events` and never responds to other requests. */
async function startService() {
  const open = new Map<string, ServerResponse>();
  const { gateway } = await startPair((req, res) => {
    open.set(req.url as string, res);
    req.resume();
    if (req.url?.startsWith('/events')) res.writeHead(200, HEAD).write('data: 1\n\n');
  });
  const untilAborted = async () => {
    await until(() => [...open.values()].every((res) => res.destroyed));
    await until(() => gateway.proxy.states()[0]?.inFlight === 0);
  };
  return { ...gateway, open, untilAborted };
}

test('ends open and later event streams cleanly, and aborts their requests to the service', async () => {
  const { open, port, proxy, untilAborted } = await startService();
  const client = new RawClient(port).send(get('/events'));
  await client.until((text) => text.includes('data: 1'));
  proxy.endStreams();
  await client.until((text) => text.endsWith(CLEAN_END));
  const late = new RawClient(port).send(get('/events?late'));
  await late.until((text) => text.endsWith(CLEAN_END));
  expect([client.text, late.text].flatMap(statusesIn)).toEqual([200, 200]);
  await untilAborted();
  expect(open.size).toBe(2);
});

test.each(['GET', 'POST'])(
  'refuses a waiting %s with 503 unavailable, and aborts it at the service',
  async (method) => {
    const { open, origin, proxy, untilAborted } = await startService();
    const response = fetch(`${origin}/leases`, { method, ...(method === 'POST' && { body: '{}' }) });
    await until(() => open.has('/leases'));
    proxy.refuseWaiting();
    const { status, headers } = await response;
    expect([status, headers.get('retry-after'), headers.get('connection')]).toEqual([503, '1', 'close']);
    expect(await (await response).json()).toMatchObject({ error: 'unavailable' });
    await untilAborted();
  },
);

test('completes a response that has begun and is not an event stream', async () => {
  const { open, port, proxy } = await startService();
  const client = new RawClient(port).send(get('/agents'));
  await until(() => open.has('/agents'));
  open.get('/agents')?.writeHead(200).write('begun');
  await client.until((text) => text.includes('begun'));
  proxy.endStreams();
  proxy.refuseWaiting();
  open.get('/agents')?.end('ended');
  const response = await client.until((text) => text.endsWith(CLEAN_END));
  expect([statusesIn(response), response.includes('ended')]).toEqual([[200], true]);
});

test.each([
  [3, [3, 15]],
  [0, [0, 15]],
  [15, [15, 15]],
])('a stop that drains for %i s ends streams and refuses waiting requests after %j s', (drainSeconds, expected) => {
  jest.useFakeTimers();
  const startedAt = Date.now();
  const times: number[] = [];
  const note = () => times.push((Date.now() - startedAt) / 1_000);
  endLongExchanges([{ endStreams: note, refuseWaiting: note } as Partial<ServiceProxy> as ServiceProxy], drainSeconds);
  jest.advanceTimersByTime(20_000);
  expect(times).toEqual(expected);
});

test('a stop of the gateway ends its event streams, which the metrics count but do not time', async () => {
  const service = await startRawUpstreamServer((req, res) => {
    if (req.url === '/events') res.writeHead(200, HEAD).write('data: 1\n\n');
    else res.writeHead(404).end();
  });
  const gateway = await startGateway({ AGENTS_URL: service.url });
  const client = new RawClient(gateway.server.port).send(get('/events'));
  await client.until((text) => text.includes('data: 1'));
  await gateway.close();
  expect((await client.untilClosed()).endsWith(CLEAN_END)).toBe(true);

  const metrics = await gateway.metrics();
  expect(metrics).toContain('http_event_streams_total{method="GET",route="/events*",status="200"} 1');
  expect(metrics).not.toContain('http_request_duration_seconds_count{method="GET",route="/events*"');
});
