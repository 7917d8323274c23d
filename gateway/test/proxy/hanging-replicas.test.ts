import type { RequestListener, ServerResponse } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { until } from '@agent-fleet/shared/testing/until';
import { describe, expect, test } from '@jest/globals';
import { respondOk } from '../support/proxy.ts';
import { FIRST, SECOND, sendRequests, startProbingProxy, startReplicas, TWO } from '../support/replicas.ts';

/** A replica is unhealthy after three probes without a response. */
const SILENT_MS = 200;

/** The first replica holds all requests, and responds to `/ready` until it hangs; the second replica responds. */
async function startHanging(hold: (res: ServerResponse) => boolean = () => true, options = {}) {
  const service = {
    hangs: false,
    held: [] as ServerResponse[],
    probes: [] as ServerResponse[],
    others: [] as ServerResponse[],
    holdsOthers: false,
  };
  const listener: RequestListener = (req, res) => {
    const isOther = req.socket.localAddress !== FIRST;
    if (isOther && service.holdsOthers && req.url !== '/ready') return service.others.push(res);
    if (isOther) return respondOk(req, res);
    if (req.url !== '/ready') return hold(res) && service.held.push(res);
    if (service.hangs) service.probes.push(res);
    else respondOk(req, res);
  };
  const replicas = await startReplicas(TWO, listener);
  const proxy = await startProbingProxy(replicas.url, TWO, { silentMs: SILENT_MS, timeoutMs: 30_000, ...options });
  const becomes = (state: string) => until(() => proxy.proxy.states()[0]?.state === state);
  return { ...replicas, ...proxy, service, becomes };
}

const end = (res: ServerResponse) => respondOk(res.req, res);

describe('when a replica hangs', () => {
  test('repeatable requests move to another replica, and others wait for their deadline', async () => {
    const { service, total, origin, proxy, becomes } = await startHanging(undefined, { timeoutMs: 8_000 });
    service.holdsOthers = true;
    const methods = ['GET', 'HEAD', 'DELETE'].flatMap((method) => Array<string>(10).fill(method));
    const requests = methods.map((method) => sendRequests(origin, 1, { method }));
    await until(() => total() === 30);
    const deletes = service.held.filter(({ req }) => req.method === 'DELETE').length;
    expect(deletes).toBeGreaterThan(0);
    service.hangs = true;
    service.holdsOthers = false;
    service.others.forEach(end);
    await becomes('unhealthy');
    await until(() => proxy.states()[0]?.inFlight === deletes);
    const statuses = (await Promise.all(requests)).flat();
    expect(statuses.slice(0, 20)).toEqual(Array(20).fill(200));
    expect(statuses.slice(20).filter((status) => status === 504)).toHaveLength(deletes);
  });

  test('an event stream ends, so that its client resumes it at another replica', async () => {
    const { service, origin, becomes } = await startHanging((res) =>
      res.writeHead(200, { 'content-type': 'text/event-stream' }).write(': hello\n\n'),
    );
    const headers = { accept: 'text/event-stream' };
    const streams = await Promise.all(Array.from({ length: 8 }, () => fetch(`${origin}/events`, { headers })));
    expect(service.held.length).toBeGreaterThan(0);
    service.hangs = true;
    const texts = await Promise.all(streams.map((stream) => stream.text()));
    expect(texts.filter((text) => text === ': hello\n\n')).toHaveLength(service.held.length);
    await becomes('unhealthy');
  });

  test('a response that has begun is completed', async () => {
    const { service, origin, becomes } = await startHanging((res) =>
      res.writeHead(200, { 'content-length': 2 }).write('{'),
    );
    const responses = Array.from({ length: 10 }, async () => (await fetch(`${origin}/agents`)).text());
    await until(() => service.held.length > 0);
    service.hangs = true;
    await becomes('unhealthy');
    for (const res of service.held) res.end('}');
    expect(new Set(await Promise.all(responses))).toEqual(new Set(['{"ok":true}', '{}']));
  });

  test('one probe stays open, and its response makes the replica healthy', async () => {
    const { service, servers, proxy, becomes } = await startHanging();
    let connections = 0;
    servers.get(FIRST)?.on('connection', () => connections++);
    service.hangs = true;
    await becomes('unhealthy');
    await Promise.all([proxy.ready(), proxy.ready()]);
    expect(connections).toBeLessThanOrEqual(1);
    expect(service.probes).toHaveLength(1);
    service.probes.splice(0).forEach(end);
    await becomes('up');
    await becomes('unhealthy');
    expect(service.probes).toHaveLength(1);
  });

  test('and its address is removed, repeatable requests move to another replica', async () => {
    let addresses = [FIRST as string];
    const { service, origin, proxy } = await startHanging(undefined, { resolve: async () => addresses });
    const response = sendRequests(origin, 1);
    await until(() => service.held.length === 1);
    addresses = [SECOND];
    await until(() => proxy.states()[0]?.address === SECOND);
    service.hangs = true;
    expect(await response).toEqual([200]);
  });

  test('and the other is full, all requests wait', async () => {
    const { service, total, origin, becomes } = await startHanging(undefined, { maxInFlight: 1 });
    service.holdsOthers = true;
    const responses = sendRequests(origin, 2);
    await until(() => total() === 2);
    service.hangs = true;
    await becomes('unhealthy');
    [...service.held, ...service.others].forEach(end);
    expect(await responses).toEqual([200]);
  });

  test('and there is no other, all requests wait', async () => {
    const { service, origin, becomes } = await startHanging(undefined, { resolve: async () => [FIRST] });
    const response = sendRequests(origin, 1);
    await until(() => service.held.length === 1);
    service.hangs = true;
    await becomes('unhealthy');
    service.held.forEach(end);
    expect(await response).toEqual([200]);
  });
});

test('requests in flight at a stopping replica are completed', async () => {
  const { service, servers, total, origin, proxy, becomes } = await startHanging();
  const requests = Array.from({ length: 10 }, () => sendRequests(origin, 1));
  await until(() => total() === 10);
  servers.get(FIRST)?.close();
  await becomes('unhealthy');
  await sleep(5 * SILENT_MS); // Longer than a replica may be silent.
  service.held.forEach(end);
  expect((await Promise.all(requests)).flat()).toEqual(Array(10).fill(200));
  expect(proxy.figures().retries).toBe(0);
});
