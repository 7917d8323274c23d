import type { RequestListener, ServerResponse } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { until } from '@agent-fleet/shared/testing/until';
import { afterEach, describe, expect, test } from '@jest/globals';
import { ask, startReplicas, startGateway as startWith, TWO } from '../support/replicas.ts';
import { answerOk, closeAll } from './proxy-fixture.ts';

afterEach(closeAll);

const [FIRST, SECOND] = TWO as [string, string];

/** A replica is unhealthy after three silences. */
const SILENT_MS = 300;

const startGateway: typeof startWith = (url, options) => startWith(url, { silentMs: SILENT_MS, ...options });

/** The first replica holds what it is asked, and answers `/ready` until it is told to hang; the second answers. */
async function startHanging(hold: (res: ServerResponse) => boolean = () => true) {
  const held: { method: string; res: ServerResponse }[] = [];
  const service = {
    hangs: false,
    held,
    probes: [] as ServerResponse[],
    others: [] as ServerResponse[],
    holdsOthers: false,
  };
  const listener: RequestListener = (req, res) => {
    const isOther = req.socket.localAddress !== FIRST;
    if (isOther && service.holdsOthers && req.url !== '/ready') return service.others.push(res);
    if (isOther) return answerOk(req, res);
    if (req.url !== '/ready') return hold(res) && held.push({ method: req.method as string, res });
    if (service.hangs) service.probes.push(res);
    else answerOk(req, res);
  };
  return { ...(await startReplicas(TWO, listener)), service };
}

describe('when a replica hangs', () => {
  test('repeatable requests move to another, the rest waits for its deadline', async () => {
    const { url, service, total } = await startHanging();
    const { origin, proxy } = await startGateway(url, { resolve: async () => TWO, timeoutMs: 3_500 });
    service.holdsOthers = true;
    const asked = [
      ...['GET', 'HEAD'].flatMap((method) => Array.from({ length: 10 }, () => ask(origin, 1, { method }))),
      ...Array.from({ length: 10 }, () => ask(origin, 1, { method: 'DELETE' })),
    ];
    await until(() => total() === 30);
    const deletes = service.held.filter(({ method }) => method === 'DELETE').length;
    expect(deletes).toBeGreaterThan(0);
    service.hangs = true;
    service.holdsOthers = false;
    for (const res of service.others) answerOk(res.req, res);
    await until(() => proxy.states()[0]?.state === 'unhealthy');
    await until(() => proxy.states()[0]?.inFlight === deletes);
    const statuses = (await Promise.all(asked)).flat();
    expect(statuses.slice(0, 20)).toEqual(Array(20).fill(200));
    expect(statuses.slice(20).filter((status) => status === 504)).toHaveLength(deletes);
  });

  test('an event stream ends, so that its client resumes it elsewhere', async () => {
    const begin = (res: ServerResponse) =>
      res.writeHead(200, { 'content-type': 'text/event-stream' }).write(': hello\n\n');
    const { url, service } = await startHanging(begin);
    const { origin, proxy } = await startGateway(url, { resolve: async () => TWO });
    const accept = { accept: 'text/event-stream' };
    const streams = await Promise.all(Array.from({ length: 8 }, () => fetch(`${origin}/events`, { headers: accept })));
    expect(service.held.length).toBeGreaterThan(0);
    service.hangs = true;
    const texts = await Promise.all(streams.map((stream) => stream.text()));
    expect(texts.filter((text) => text === ': hello\n\n')).toHaveLength(service.held.length);
    expect(proxy.states()[0]?.state).toBe('unhealthy');
  });

  test('a response that has begun is waited for', async () => {
    const { url, service } = await startHanging((res) => res.writeHead(200, { 'content-length': 2 }).write('{'));
    const { origin, proxy } = await startGateway(url, { resolve: async () => TWO, timeoutMs: 30_000 });
    const answers = Array.from({ length: 10 }, async () => (await fetch(`${origin}/agents`)).text());
    await until(() => service.held.length > 0);
    service.hangs = true;
    await until(() => proxy.states()[0]?.state === 'unhealthy');
    for (const { res } of service.held) res.end('}');
    expect(new Set(await Promise.all(answers))).toEqual(new Set(['{"ok":true}', '{}']));
  });

  test('one probe stays open, and its response makes the replica healthy', async () => {
    const { url, service, servers } = await startHanging();
    let connections = 0;
    servers.get(FIRST)?.on('connection', () => connections++);
    service.hangs = true;
    const { proxy } = await startGateway(url, { resolve: async () => TWO });
    await until(() => proxy.states()[0]?.state === 'unhealthy');
    await Promise.all([proxy.ready(), proxy.ready()]);
    expect([connections, service.probes.length]).toEqual([1, 1]);
    for (const res of service.probes.splice(0)) answerOk(res.req, res);
    await until(() => proxy.states()[0]?.state === 'up');
    await until(() => proxy.states()[0]?.state === 'unhealthy');
    expect(service.probes).toHaveLength(1);
  });

  test('and its address is removed, repeatable requests move to another', async () => {
    const { url, service } = await startHanging();
    let addresses = [FIRST];
    const { origin, proxy } = await startGateway(url, { resolve: async () => addresses, timeoutMs: 30_000 });
    const answer = ask(origin, 1);
    await until(() => service.held.length === 1);
    addresses = [SECOND];
    await until(() => proxy.states()[0]?.address === SECOND);
    service.hangs = true;
    expect(await answer).toEqual([200]);
  });

  test('and the other is full, all requests wait', async () => {
    const held: (() => void)[] = [];
    const { url, total } = await startReplicas(TWO, (req, res) => {
      if (req.url !== '/ready') held.push(() => answerOk(req, res));
      else if (held.length < 2 || req.socket.localAddress !== FIRST) answerOk(req, res);
    });
    const { origin, proxy } = await startGateway(url, { resolve: async () => TWO, timeoutMs: 30_000, maxInFlight: 1 });
    const answers = ask(origin, 2);
    await until(() => total() === 2);
    await until(() => proxy.states()[0]?.state === 'unhealthy');
    for (const answer of held) answer();
    expect(await answers).toEqual([200]);
  });

  test('and there is no other, all requests wait', async () => {
    const { url, service } = await startHanging();
    const { origin, proxy } = await startGateway(url, { resolve: async () => [FIRST], timeoutMs: 30_000 });
    const answer = ask(origin, 1);
    await until(() => service.held.length === 1);
    service.hangs = true;
    await until(() => proxy.states()[0]?.state === 'unhealthy');
    const [first] = service.held;
    if (first) answerOk(first.res.req, first.res);
    expect(await answer).toEqual([200]);
  });
});

test('requests in flight at a stopping replica are waited for', async () => {
  const { url, service, servers, total } = await startHanging();
  const { origin, proxy } = await startGateway(url, { resolve: async () => TWO, timeoutMs: 30_000 });
  const asked = Array.from({ length: 10 }, () => ask(origin, 1));
  await until(() => total() === 10);
  servers.get(FIRST)?.close();
  await until(() => proxy.states()[0]?.state === 'unhealthy');
  await sleep(5 * SILENT_MS); // Longer than a replica may be silent.
  for (const { res } of service.held) answerOk(res.req, res);
  expect((await Promise.all(asked)).flat()).toEqual(Array(10).fill(200));
  expect(proxy.figures().retries).toBe(0);
});
