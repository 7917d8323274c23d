import type { RequestListener } from 'node:http';
import { until } from '@agent-fleet/shared/testing/until';
import { expect, test } from '@jest/globals';
import type { ServiceProxyOptions } from '../../src/proxy/service-proxy.ts';
import { respondOk } from '../support/proxy.ts';
import { FIRST, SECOND, sendRequests, startProbingProxy, startReplicas, THREE, TWO } from '../support/replicas.ts';

const respondWith =
  (status: number): RequestListener =>
  (_req, res) =>
    res.writeHead(status).end();

type Options = Partial<ServiceProxyOptions> & { addresses?: string[] };

/** Replicas with successful probes, and a proxy; failing replicas respond with the given status. */
async function startFailing(failing: string[], fail: RequestListener, options: Options = {}) {
  const { addresses = TWO, ...others } = options;
  const service = { failing };
  const replicas = await startReplicas(addresses, (req, res) => {
    const { localAddress = '' } = req.socket;
    if (req.url === '/ready' || !service.failing.includes(localAddress)) respondOk(req, res);
    else fail(req, res);
  });
  const { origin, proxy } = await startProbingProxy(replicas.url, addresses, { ejectedMs: 60_000, ...others });
  const states = () => proxy.states().map(({ state }) => state);
  return { ...replicas, service, origin, proxy, states };
}

async function askOneByOne(origin: string, times: number): Promise<number[]> {
  const statuses: number[] = [];
  // With a body, so that no request is retried.
  for (let n = 0; n < times; n++) statuses.push(...(await sendRequests(origin, 1, { method: 'POST', body: 'a' })));
  return statuses;
}

test.each<[string, RequestListener, number, Options]>([
  ['responds 502', respondWith(502), 502, {}],
  ['responds 503', respondWith(503), 503, {}],
  ['responds 504', respondWith(504), 504, {}],
  ['breaks the connection', (req) => req.socket.destroy(), 502, {}],
  // The other replica has to respond within this time.
  ['does not respond in time', () => {}, 504, { timeoutMs: 3_000 }],
])('a replica that %s five times in a row is ejected, despite good probes', async (_how, fail, status, options) => {
  const { requestCount, origin, proxy, states } = await startFailing([FIRST], fail, options);
  const statuses = await askOneByOne(origin, 40);
  expect(statuses.filter((one) => one !== 200)).toEqual(Array(5).fill(status));
  expect(requestCount(FIRST)).toBe(5);
  expect(states()).toEqual(['ejected', 'up']);
  expect(proxy.figures().ejections).toBe(1);
});

test('an ejected replica receives requests again after its time', async () => {
  const { requestCount, service, origin, states } = await startFailing([FIRST], respondWith(503), { ejectedMs: 1_000 });
  for (let n = 0; n < 100 && states()[0] !== 'ejected'; n++) await askOneByOne(origin, 1);
  expect(states()[0]).toBe('ejected');
  service.failing = [];
  await until(() => states()[0] === 'up');
  expect(new Set(await askOneByOne(origin, 40))).toEqual(new Set([200]));
  expect(requestCount(FIRST)).toBeGreaterThan(5);
});

test('an ejected replica that restarts receives requests as soon as it is ready', async () => {
  const { requestCount, service, kill, start, origin, states } = await startFailing([FIRST], respondWith(503));
  await askOneByOne(origin, 40);
  expect(states()[0]).toBe('ejected');
  service.failing = [];
  kill(FIRST);
  await until(() => states()[0] === 'unhealthy');
  await start(FIRST);
  await until(() => states()[0] === 'up');
  await askOneByOne(origin, 40);
  expect(requestCount(FIRST)).toBeGreaterThan(5);
});

test.each([200, 404, 500])('a response of %i resets the count of failures', async (status) => {
  let at = 0;
  const fail: RequestListener = (req, res) => respondWith(at++ % 5 === 4 ? status : 503)(req, res);
  const { origin, proxy } = await startFailing([FIRST], fail);
  await askOneByOne(origin, 60);
  expect(at).toBeGreaterThan(10);
  expect(proxy.figures().ejections).toBe(0);
});

test.each([
  [1, 0],
  [2, 1],
  [3, 1],
])('of %i failing replicas %i are ejected', async (count, ejected) => {
  const addresses = THREE.slice(0, count);
  const { origin, states } = await startFailing(addresses, respondWith(503), { addresses });
  await askOneByOne(origin, 60);
  expect(states().filter((state) => state === 'ejected')).toHaveLength(ejected);
});

test('an ejected replica with good probes receives requests while most are out', async () => {
  const { requestCount, kill, service, origin, states } = await startFailing([FIRST], respondWith(503));
  await askOneByOne(origin, 40);
  expect(requestCount(FIRST)).toBe(5);
  service.failing = [];
  kill(SECOND);
  await until(() => states()[1] === 'unhealthy');
  expect(states()[0]).toBe('ejected');
  expect(new Set(await askOneByOne(origin, 20))).toEqual(new Set([200]));
  expect(requestCount(FIRST)).toBe(25);
});

test('a request that the only other replica breaks off is repeated at an ejected one with good probes', async () => {
  const fail: RequestListener = (req, res) =>
    req.socket.localAddress === FIRST ? respondWith(503)(req, res) : req.socket.destroy();
  const { requestCount, service, origin, states } = await startFailing([FIRST], fail);
  await askOneByOne(origin, 40);
  service.failing = [SECOND];
  expect(states()).toEqual(['ejected', 'up']);
  expect(await sendRequests(origin, 1)).toEqual([200]);
  expect(requestCount(FIRST)).toBe(6);
});

test('a disconnected client does not count as a failure of the replica', async () => {
  const { requestCount, total, origin, proxy, states } = await startFailing([FIRST], () => {});
  for (let n = 1; requestCount(FIRST) < 8; n++) {
    const client = new AbortController();
    const leaves = fetch(`${origin}/agents`, { signal: client.signal }).catch(() => {});
    await until(() => total() === n);
    client.abort();
    await leaves;
    await until(() => proxy.states().every(({ inFlight }) => inFlight === 0));
  }
  expect(states()[0]).toBe('up');
});
