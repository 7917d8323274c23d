import { until } from '@agent-fleet/shared/testing/until';
import { afterEach, describe, expect, test } from '@jest/globals';
import { ask, startGateway, startReplicas, THREE, TWO } from '../support/replicas.ts';
import { answerOk, closeAll, startRawUpstreamServer } from './proxy-fixture.ts';

afterEach(closeAll);

test('every address of the host name receives its share', async () => {
  const { url, asked } = await startReplicas(TWO);
  const { origin } = await startGateway(url, { resolve: async () => TWO });
  expect(await ask(origin, 100)).toEqual([200]);
  for (const address of TWO) expect(asked.get(address)).toBeGreaterThan(20);
});

test('the busier replica receives fewer requests', async () => {
  const held: (() => void)[] = [];
  const { url, asked } = await startReplicas(TWO, (req, res) => {
    if (req.socket.localAddress === TWO[0] && req.url !== '/ready') held.push(() => answerOk(req, res));
    else answerOk(req, res);
  });
  const { origin } = await startGateway(url, { resolve: async () => TWO });
  let answered = 0;
  for (let n = 0; n < 50; n++) void ask(origin, 1).then(() => answered++);
  await until(() => answered + held.length === 50);
  expect(asked.get(TWO[0] as string)).toBeLessThan(asked.get(TWO[1] as string) as number);
  const before = held.length;
  for (let n = 0; n < 50; n++) await ask(origin, 1);
  expect(held.length).toBe(before);
  for (const answer of held) answer();
  await until(() => answered === 50);
});

test('a replica that dies fails no GET, and is unhealthy until it is ready again', async () => {
  const { url, kill, start, asked } = await startReplicas(TWO);
  const { origin, proxy } = await startGateway(url, { resolve: async () => TWO });
  expect(await ask(origin, 20)).toEqual([200]);
  kill(TWO[0] as string);
  for (let n = 0; n < 20; n++) expect(await ask(origin, 5)).toEqual([200]);
  expect(proxy.states()).toEqual([
    { address: TWO[0], state: 'unhealthy', inFlight: 0 },
    { address: TWO[1], state: 'up', inFlight: 0 },
  ]);
  expect(await ask(origin, 20, { method: 'POST' })).toEqual([200]);
  const before = asked.get(TWO[0] as string);
  await start(TWO[0] as string);
  await until(() => proxy.states().every(({ state }) => state === 'up'));
  expect(await ask(origin, 50)).toEqual([200]);
  expect(asked.get(TWO[0] as string)).toBeGreaterThan(before as number);
});

test('a replica that responds 503 to /ready stays unhealthy', async () => {
  let ready = false;
  const { url, kill, start } = await startReplicas(TWO, (req, res) => {
    if (req.url === '/ready' && !ready) res.writeHead(503).end();
    else answerOk(req, res);
  });
  const { origin, proxy } = await startGateway(url, { resolve: async () => TWO });
  kill(TWO[0] as string);
  for (let n = 0; n < 10; n++) expect(await ask(origin, 5)).toEqual([200]);
  await start(TWO[0] as string);
  await new Promise((resolve) => setTimeout(resolve, 600));
  expect(proxy.states()[0]?.state).toBe('unhealthy');
  ready = true;
  await until(() => proxy.states()[0]?.state === 'up');
});

test('a replica that is no longer ready receives no more requests', async () => {
  let stopping = false;
  const { url, asked } = await startReplicas(TWO, (req, res) => {
    if (req.url === '/ready' && stopping && req.socket.localAddress === TWO[0]) res.writeHead(503).end();
    else answerOk(req, res);
  });
  const { origin, proxy } = await startGateway(url, { resolve: async () => TWO });
  expect(await ask(origin, 50)).toEqual([200]);
  stopping = true;
  await until(() => proxy.states()[0]?.state === 'unhealthy');
  const before = asked.get(TWO[0] as string);
  expect(before).toBeGreaterThan(0);
  expect(await ask(origin, 50, { method: 'POST' })).toEqual([200]);
  expect(asked.get(TWO[0] as string)).toBe(before);
});

test('when all replicas are unhealthy, all are used', async () => {
  const { url, kill, start } = await startReplicas(TWO, (req, res) => {
    if (req.url === '/ready') res.writeHead(503).end();
    else answerOk(req, res);
  });
  const { origin, proxy } = await startGateway(url, { resolve: async () => TWO });
  for (const address of TWO) kill(address);
  expect(await ask(origin, 4)).toEqual([503]);
  expect(proxy.states().map(({ state }) => state)).toEqual(['unhealthy', 'unhealthy']);
  for (const address of TWO) await start(address);
  expect(await ask(origin, 20)).toEqual([200]);
  expect(proxy.states().map(({ state }) => state)).toEqual(['unhealthy', 'unhealthy']);
});

test('when no replica is healthy, those that respond are used', async () => {
  const { url, kill, asked } = await startReplicas(TWO, (req, res) => {
    if (req.url === '/ready') res.writeHead(503).end();
    else answerOk(req, res);
  });
  const { origin, proxy } = await startGateway(url, { resolve: async () => TWO });
  await until(() => proxy.states().every(({ state }) => state === 'unhealthy'));
  kill(TWO[0] as string);
  await ask(origin, 20, { method: 'POST' });
  const before = asked.get(TWO[1] as string) as number;
  expect(await ask(origin, 20, { method: 'POST' })).toEqual([200]);
  expect(asked.get(TWO[1] as string)).toBe(before + 20);
});

test('new addresses are used, removed ones are drained', async () => {
  let release: (() => void) | undefined;
  const { url, asked } = await startReplicas(TWO, (req, res) => {
    if (req.url === '/slow') release = () => answerOk(req, res);
    else answerOk(req, res);
  });
  let addresses = [TWO[0] as string];
  const { origin, proxy } = await startGateway(url, { resolve: async () => addresses });
  const slow = fetch(`${origin}/slow`);
  await until(() => release !== undefined);
  addresses = [TWO[1] as string];
  await until(() => proxy.states()[0]?.address === TWO[1]);
  await until(() => proxy.states()[0]?.state === 'up');
  expect(await ask(origin, 20)).toEqual([200]);
  expect(asked.get(TWO[1] as string)).toBe(20);
  release?.();
  expect((await slow).status).toBe(200);
});

test('addresses are kept while the host name does not resolve', async () => {
  const { url } = await startReplicas(TWO);
  let resolved = 0;
  const resolve = async () => {
    resolved++;
    if (resolved > 1) throw new Error('no answer');
    return TWO;
  };
  const { origin } = await startGateway(url, { resolve });
  await until(() => resolved > 1);
  expect(await ask(origin, 10)).toEqual([200]);
});

test('IPv6 addresses and localhost are replicas too', async () => {
  const six = await startRawUpstreamServer(answerOk, '::1');
  expect(await ask((await startGateway(`http://[::1]:${six.port}`)).origin, 2)).toEqual([200]);
  expect(
    await ask((await startGateway(`http://name.test:${six.port}`, { resolve: async () => ['::1'] })).origin, 2),
  ).toEqual([200]);
  const four = await startRawUpstreamServer(answerOk);
  expect(await ask((await startGateway(`http://localhost:${four.port}`)).origin, 2)).toEqual([200]);
});

test('the Host of requests to a replica is that of the service', async () => {
  const hosts: (string | undefined)[] = [];
  const { url } = await startReplicas(TWO, (req, res) => {
    hosts.push(req.headers.host);
    answerOk(req, res);
  });
  const { origin } = await startGateway(url, { resolve: async () => TWO });
  await ask(origin, 5);
  expect([...new Set(hosts)]).toEqual([new URL(url).host]);
});

describe('ready', () => {
  /** It has a second to answer, which a busy machine may take: then it is asked again. */
  async function expectReady({ ready }: { ready(): Promise<string> }, answer: string): Promise<void> {
    let last = '';
    for (let tries = 0; tries < 20 && last !== answer; tries++) last = await ready();
    expect(last).toBe(answer);
  }

  test('is ok when one replica is', async () => {
    const { url, kill } = await startReplicas(TWO);
    const { proxy } = await startGateway(url, { resolve: async () => TWO });
    await expectReady(proxy, 'ok');
    kill(TWO[0] as string);
    await expectReady(proxy, 'ok');
    kill(TWO[1] as string);
    await expectReady(proxy, 'unreachable');
  });

  test('says why none is', async () => {
    const unready = await startRawUpstreamServer((_req, res) => res.writeHead(503).end());
    await expectReady((await startGateway(unready.url)).proxy, 'not ready (503)');
    const silent = await startRawUpstreamServer(() => {});
    await expectReady((await startGateway(silent.url)).proxy, 'does not answer');
    const unknown = await startGateway('http://unknown.invalid', { resolve: () => Promise.reject(new Error('no')) });
    expect(await unknown.proxy.ready()).toBe('no address');
  });
});

test('more requests in flight than a replica may have are 503 overloaded', async () => {
  const held: (() => void)[] = [];
  const upstream = await startRawUpstreamServer((req, res) =>
    req.url === '/ready' ? answerOk(req, res) : held.push(() => answerOk(req, res)),
  );
  const { origin, proxy } = await startGateway(upstream.url, { maxInFlight: 3 });
  const first = ask(origin, 3);
  await until(() => held.length === 3);
  const refused = await fetch(`${origin}/agents`);
  expect([refused.status, refused.headers.get('retry-after')]).toEqual([503, '1']);
  expect(await refused.json()).toMatchObject({ error: 'overloaded' });
  expect(proxy.states()[0]?.inFlight).toBe(3);
  expect(await proxy.ready()).toBe('ok');
  for (const answer of held) answer();
  expect(await first).toEqual([200]);
  expect(proxy.states()[0]?.inFlight).toBe(0);
});

test('a replica that is full leaves requests to one that is not', async () => {
  const held: (() => void)[] = [];
  const { url } = await startReplicas(THREE, (req, res) =>
    req.url === '/ready' ? answerOk(req, res) : held.push(() => answerOk(req, res)),
  );
  const { origin } = await startGateway(url, { maxInFlight: 1, resolve: async () => THREE });
  for (let round = 0; round < 10; round++) {
    const answers = THREE.map(() => ask(origin, 1));
    await until(() => held.length === 3);
    for (const answer of held.splice(0)) answer();
    expect(await Promise.all(answers)).toEqual([[200], [200], [200]]);
  }
});
