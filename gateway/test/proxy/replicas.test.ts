import type { IncomingMessage, RequestListener } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { until } from '@agent-fleet/shared/testing/until';
import { describe, expect, test } from '@jest/globals';
import { respondOk, startPair, startProxy, startRawUpstreamServer } from '../support/proxy.ts';
import { FIRST, SECOND, sendRequests, startProbingProxy, startReplicas, THREE, TWO } from '../support/replicas.ts';

/** Starts replicas at these addresses and a proxy in front of them. */
async function start(listener: RequestListener = respondOk, addresses = TWO, options = {}) {
  const replicas = await startReplicas(addresses, listener);
  const { origin, proxy } = await startProbingProxy(replicas.url, addresses, options);
  const states = () => proxy.states().map(({ state }) => state);
  return { ...replicas, origin, proxy, states };
}

const POST = { method: 'POST' };

/** Responds to probes, and holds the requests for which `isHeld` is true. */
function holding(isHeld: (req: IncomingMessage) => boolean = () => true) {
  const held: (() => void)[] = [];
  const listener: RequestListener = (req, res) => {
    if (req.url === '/ready' || !isHeld(req)) respondOk(req, res);
    else held.push(() => respondOk(req, res));
  };
  return { held, listener };
}

/** Responds to requests, and with 503 to probes for which `isReady` is false. */
function readyWhen(isReady: (address: string | undefined) => boolean): RequestListener {
  return (req, res) => {
    if (req.url === '/ready' && !isReady(req.socket.localAddress)) res.writeHead(503).end();
    else respondOk(req, res);
  };
}

test('every address of the host name receives its share', async () => {
  const { origin, requestCount } = await start();
  expect(await sendRequests(origin, 100)).toEqual([200]);
  for (const address of TWO) expect(requestCount(address)).toBeGreaterThan(20);
});

test('the busier replica receives fewer requests', async () => {
  const { held, listener } = holding((req) => req.socket.localAddress === FIRST);
  const { origin, requestCount } = await start(listener);
  let answered = 0;
  for (let n = 0; n < 50; n++) void sendRequests(origin, 1).then(() => answered++);
  await until(() => answered + held.length === 50);
  expect(requestCount(FIRST)).toBeLessThan(requestCount(SECOND));
  const before = held.length;
  for (let n = 0; n < 50; n++) await sendRequests(origin, 1);
  expect(held.length).toBe(before);
  for (const respond of held) respond();
  await until(() => answered === 50);
});

test('a replica that dies fails no GET, and is unhealthy until it is ready again', async () => {
  const { origin, proxy, states, kill, start: restart, requestCount } = await start();
  expect(await sendRequests(origin, 20)).toEqual([200]);
  kill(FIRST);
  for (let n = 0; n < 20; n++) expect(await sendRequests(origin, 5)).toEqual([200]);
  expect(proxy.states()).toEqual([
    { address: FIRST, state: 'unhealthy', inFlight: 0 },
    { address: SECOND, state: 'up', inFlight: 0 },
  ]);
  expect(await sendRequests(origin, 20, POST)).toEqual([200]);
  const before = requestCount(FIRST);
  await restart(FIRST);
  await until(() => states().every((state) => state === 'up'));
  expect(await sendRequests(origin, 50)).toEqual([200]);
  expect(requestCount(FIRST)).toBeGreaterThan(before);
});

test('a replica that responds 503 to /ready stays unhealthy', async () => {
  let ready = false;
  const { origin, states, kill, start: restart } = await start(readyWhen(() => ready));
  kill(FIRST);
  for (let n = 0; n < 10; n++) expect(await sendRequests(origin, 5)).toEqual([200]);
  await restart(FIRST);
  await sleep(600);
  expect(states()[0]).toBe('unhealthy');
  ready = true;
  await until(() => states()[0] === 'up');
});

test('a replica that is no longer ready receives no more requests', async () => {
  let stopping = false;
  const { origin, states, requestCount } = await start(readyWhen((address) => !stopping || address !== FIRST));
  expect(await sendRequests(origin, 50)).toEqual([200]);
  stopping = true;
  await until(() => states()[0] === 'unhealthy');
  const before = requestCount(FIRST);
  expect(before).toBeGreaterThan(0);
  expect(await sendRequests(origin, 50, POST)).toEqual([200]);
  expect(requestCount(FIRST)).toBe(before);
});

test('when all replicas are unhealthy, all are used', async () => {
  const { origin, states, kill, start: restart } = await start(readyWhen(() => false));
  for (const address of TWO) kill(address);
  expect(await sendRequests(origin, 4)).toEqual([503]);
  expect(states()).toEqual(['unhealthy', 'unhealthy']);
  for (const address of TWO) await restart(address);
  expect(await sendRequests(origin, 20)).toEqual([200]);
  expect(states()).toEqual(['unhealthy', 'unhealthy']);
});

test('when no replica is healthy, those that respond are used', async () => {
  const { origin, states, kill, requestCount } = await start(readyWhen(() => false));
  await until(() => states().every((state) => state === 'unhealthy'));
  kill(FIRST);
  await sendRequests(origin, 20, POST);
  const before = requestCount(SECOND);
  expect(await sendRequests(origin, 20, POST)).toEqual([200]);
  expect(requestCount(SECOND)).toBe(before + 20);
});

test('new addresses are used, removed ones are drained', async () => {
  let addresses = [FIRST as string];
  const { held, listener } = holding((req) => req.url === '/slow');
  const { origin, proxy, requestCount } = await start(listener, TWO, { resolve: async () => addresses });
  const slow = fetch(`${origin}/slow`);
  await until(() => held.length === 1);
  addresses = [SECOND];
  await until(() => proxy.states()[0]?.address === SECOND && proxy.states()[0]?.state === 'up');
  expect(await sendRequests(origin, 20)).toEqual([200]);
  expect(requestCount(SECOND)).toBe(20);
  held[0]?.();
  expect((await slow).status).toBe(200);
});

test('addresses are kept while the host name does not resolve', async () => {
  let resolved = 0;
  const resolve = async () => {
    resolved++;
    if (resolved > 1) throw new Error('no response');
    return TWO;
  };
  const { origin } = await start(respondOk, TWO, { resolve });
  await until(() => resolved > 1);
  expect(await sendRequests(origin, 10)).toEqual([200]);
});

test('IPv6 addresses and localhost are replicas too', async () => {
  const { port } = await startRawUpstreamServer(respondOk, '::1');
  expect(await sendRequests((await startProxy(`http://[::1]:${port}`)).origin, 2)).toEqual([200]);
  expect(await sendRequests((await startProbingProxy(`http://name.test:${port}`, ['::1'])).origin, 2)).toEqual([200]);
  const four = await startRawUpstreamServer(respondOk);
  expect(await sendRequests((await startProxy(`http://localhost:${four.port}`)).origin, 2)).toEqual([200]);
});

test('the Host of requests to a replica is that of the service', async () => {
  const hosts = new Set<string | undefined>();
  const { origin, url } = await start((req, res) => {
    hosts.add(req.headers.host);
    respondOk(req, res);
  });
  await sendRequests(origin, 5);
  expect([...hosts]).toEqual([new URL(url).host]);
});

/** A check has a deadline of one second, which a busy machine may exceed: then it is repeated. */
const expectReady = async ({ ready }: { ready(): Promise<string> }, expected: string) =>
  expect(await until(ready, { holds: (last) => last === expected })).toBe(expected);

describe('readiness', () => {
  test('is ok while one replica is ready', async () => {
    const { proxy, kill } = await start();
    await expectReady(proxy, 'ok');
    kill(FIRST);
    await expectReady(proxy, 'ok');
    kill(SECOND);
    await expectReady(proxy, 'unreachable');
  });

  test('reports why no replica is ready', async () => {
    const unready = await startPair((_req, res) => res.writeHead(503).end());
    await expectReady(unready.gateway.proxy, 'not ready (503)');
    await expectReady((await startPair(() => {})).gateway.proxy, 'does not respond');
    const unknown = await startProxy('http://unknown.invalid', { resolve: () => Promise.reject(new Error('no')) });
    expect(await unknown.proxy.ready()).toBe('no address');
  });
});

test('more requests in flight than a replica may have are 503 overloaded', async () => {
  const { held, listener } = holding();
  const { gateway } = await startPair(listener, { maxInFlight: 3 });
  const { origin, proxy } = gateway;
  const first = sendRequests(origin, 3);
  await until(() => held.length === 3);
  const refused = await fetch(`${origin}/agents`);
  expect([refused.status, refused.headers.get('retry-after')]).toEqual([503, '1']);
  expect(await refused.json()).toMatchObject({ error: 'overloaded' });
  expect(proxy.states()[0]?.inFlight).toBe(3);
  await expectReady(proxy, 'ok');
  for (const respond of held) respond();
  expect(await first).toEqual([200]);
  expect(proxy.states()[0]?.inFlight).toBe(0);
});

test('a replica that is full leaves requests to one that is not', async () => {
  const { held, listener } = holding();
  const { origin } = await start(listener, THREE, { maxInFlight: 1 });
  for (let round = 0; round < 10; round++) {
    const responses = THREE.map(() => sendRequests(origin, 1));
    await until(() => held.length === 3);
    for (const respond of held.splice(0)) respond();
    expect(await Promise.all(responses)).toEqual([[200], [200], [200]]);
  }
});
