import type { RequestListener } from 'node:http';
import { until } from '@agent-fleet/shared/testing/until';
import { afterEach, expect, test } from '@jest/globals';
import { ask, startGateway, startReplicas, THREE, TWO } from '../support/replicas.ts';
import { answerOk, closeAll } from './proxy-fixture.ts';

afterEach(closeAll);

const [FIRST] = TWO as [string];
const answer =
  (status: number): RequestListener =>
  (_req, res) =>
    res.writeHead(status).end();

/** Replicas whose probes are good; those that fail answer as told. */
async function startFailing(addresses: string[], failing: string[], fail: RequestListener) {
  const service = { failing, fail };
  const replicas = await startReplicas(addresses, (req, res) => {
    const { localAddress = '' } = req.socket;
    if (req.url === '/ready' || !service.failing.includes(localAddress)) answerOk(req, res);
    else service.fail(req, res);
  });
  return { ...replicas, service };
}

async function askOneByOne(origin: string, times: number): Promise<number[]> {
  const statuses: number[] = [];
  // With a body, so that nothing is retried.
  for (let n = 0; n < times; n++) statuses.push(...(await ask(origin, 1, { method: 'POST', body: 'a' })));
  return statuses;
}

test.each<[string, RequestListener, number, number]>([
  ['answers 502', answer(502), 502, 30_000],
  ['answers 503', answer(503), 503, 30_000],
  ['answers 504', answer(504), 504, 30_000],
  ['breaks the connection', (req) => req.socket.destroy(), 502, 30_000],
  // The other one has to answer within it.
  ['does not answer in time', () => {}, 504, 900],
])('a replica that %s five times in a row is ejected, despite good probes', async (...fails) => {
  const [, fail, status, timeoutMs] = fails;
  const { url, asked } = await startFailing(TWO, [FIRST], fail);
  const { origin, proxy } = await startGateway(url, { resolve: async () => TWO, timeoutMs, ejectedMs: 60_000 });
  const statuses = await askOneByOne(origin, 40);
  expect(statuses.filter((one) => one !== 200)).toEqual(Array(5).fill(status));
  expect(asked.get(FIRST)).toBe(5);
  expect(proxy.states().map(({ state }) => state)).toEqual(['ejected', 'up']);
  expect(proxy.figures().ejections).toBe(1);
});

test('an ejected replica receives requests again after its time', async () => {
  const { url, asked, service } = await startFailing(TWO, [FIRST], answer(503));
  const { origin, proxy } = await startGateway(url, { resolve: async () => TWO, ejectedMs: 1_000 });
  for (let n = 0; n < 100 && proxy.states()[0]?.state !== 'ejected'; n++) await askOneByOne(origin, 1);
  expect(proxy.states()[0]?.state).toBe('ejected');
  service.failing = [];
  await until(() => proxy.states()[0]?.state === 'up');
  expect(new Set(await askOneByOne(origin, 40))).toEqual(new Set([200]));
  expect(asked.get(FIRST)).toBeGreaterThan(5);
});

test('an ejected replica that restarts receives requests as soon as it is ready', async () => {
  const { url, asked, service, kill, start } = await startFailing(TWO, [FIRST], answer(503));
  const { origin, proxy } = await startGateway(url, { resolve: async () => TWO, ejectedMs: 60_000 });
  await askOneByOne(origin, 40);
  expect(proxy.states()[0]?.state).toBe('ejected');
  service.failing = [];
  kill(FIRST);
  await until(() => proxy.states()[0]?.state === 'unhealthy');
  await start(FIRST);
  await until(() => proxy.states()[0]?.state === 'up');
  await askOneByOne(origin, 40);
  expect(asked.get(FIRST)).toBeGreaterThan(5);
});

test.each([200, 404, 500])('a response of %i resets the count of failures', async (status) => {
  let at = 0;
  const { url } = await startFailing(TWO, [FIRST], (req, res) => answer(at++ % 5 === 4 ? status : 503)(req, res));
  const { origin, proxy } = await startGateway(url, { resolve: async () => TWO });
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
  const { url } = await startFailing(addresses, addresses, answer(503));
  const { origin, proxy } = await startGateway(url, { resolve: async () => addresses });
  await askOneByOne(origin, 60);
  expect(proxy.states().filter(({ state }) => state === 'ejected')).toHaveLength(ejected);
});

test('an ejected replica with good probes receives requests while most are out', async () => {
  const { url, asked, kill, service } = await startFailing(TWO, [FIRST], answer(503));
  const { origin, proxy } = await startGateway(url, { resolve: async () => TWO, ejectedMs: 60_000 });
  await askOneByOne(origin, 40);
  expect(asked.get(FIRST)).toBe(5);
  service.failing = [];
  kill(TWO[1] as string);
  await until(() => proxy.states()[1]?.state === 'unhealthy');
  expect(proxy.states()[0]?.state).toBe('ejected');
  expect(new Set(await askOneByOne(origin, 20))).toEqual(new Set([200]));
  expect(asked.get(FIRST)).toBe(25);
});

test('a disconnected client does not count as a failure of the replica', async () => {
  const { url, asked } = await startFailing(TWO, [FIRST], () => {});
  const { origin, proxy } = await startGateway(url, { resolve: async () => TWO });
  for (let n = 1; (asked.get(FIRST) as number) < 8; n++) {
    const client = new AbortController();
    const leaves = fetch(`${origin}/agents`, { signal: client.signal }).catch(() => {});
    await until(() => (asked.get(FIRST) as number) + (asked.get(TWO[1] as string) as number) === n);
    client.abort();
    await leaves;
    await until(() => proxy.states().every(({ inFlight }) => inFlight === 0));
  }
  expect(proxy.states()[0]?.state).toBe('up');
});
