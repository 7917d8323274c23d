import { setTimeout as sleep } from 'node:timers/promises';
import { own } from '@agent-fleet/scripts/testing/own';
import { metricIn } from '@agent-fleet/shared/testing/metrics';
import { until } from '@agent-fleet/shared/testing/until';
import { expect, test } from '@jest/globals';
import { callerHeaders, connectAs } from '../support/callers.ts';
import { startService } from '../support/start-service.ts';
import { startTwoReplicas } from '../support/two-replicas.ts';

const { one, other } = await startTwoReplicas({ MAX_WAITS_PER_PRINCIPAL: '2', MAX_STREAMS_PER_PRINCIPAL: '2' });

const agent = await one.createAgent();
const { id: task } = await one.createTask(agent);
const ada = connectAs(one.url, 'user:ada@example.com');

/** Opens a request that the test ends. */
function begin(principal: string, path: string, init: { method?: string; body?: object; accept?: string } = {}) {
  const controller = new AbortController();
  own(() => controller.abort());
  const { method = 'GET', body, accept = '*/*' } = init;
  const sent = fetch(`${one.url}${path}`, {
    method,
    headers: { ...callerHeaders(principal), accept, ...(body && { 'content-type': 'application/json' }) },
    ...(body && { body: JSON.stringify(body) }),
    signal: controller.signal,
  }).catch(() => undefined);
  return { sent, end: () => controller.abort() };
}

const stream = (principal: string, path = '/events') => begin(principal, path, { accept: 'text/event-stream' });
const lease = (principal: string, path = '/leases') =>
  begin(principal, path, { method: 'POST', body: { worker_id: 'w', types: ['gpt'], wait_seconds: 20 } });
const untilOpen = (count: number) =>
  until(async () => metricIn(await one.metrics(), 'http_requests_in_flight') === count);

async function expectTooMany(request: PromiseLike<{ status: number; headers: Record<string, string>; body: object }>) {
  const { status, headers, body } = await request;
  expect([status, headers['retry-after'], headers['x-fleet-rejected-by'], body]).toEqual([
    429,
    '1',
    'open_requests',
    { error: 'rate_limited', message: expect.any(String) },
  ]);
}

test('limits the waiting leases and reads of a principal together, and no other requests', async () => {
  const [first, second] = [
    lease('user:ada@example.com'),
    begin('user:ada@example.com', `/agents/${agent}/tasks/${task}?wait=20`),
  ];
  await untilOpen(2);
  const wait = { worker_id: 'w', wait_seconds: 1 };
  await expectTooMany(ada.http.post('/leases').send({ ...wait, types: ['gpt'] }));
  await expectTooMany(ada.http.post(`/agents/${await one.createAgent()}/leases`).send(wait));
  await expectTooMany(ada.http.get(`/agents/${agent}/tasks/${task}?wait=1`));
  expect((await ada.leaseByType('gpt')).status).toBe(204);
  await ada.http.get(`/agents/${agent}/tasks/${task}`).expect(200);
  await ada.http.get(`/agents/${agent}/tasks/${task}?wait=0`).expect(200);
  const others = [connectAs(one.url, 'key:ada'), connectAs(other.url, 'user:ada@example.com'), one];
  for (const client of others) expect((await client.leaseByType('gpt', { wait_seconds: 1 })).status).toBe(204);
  first.end();
  await until(async () => (await ada.leaseByType('gpt', { wait_seconds: 1 })).status === 204);
  second.end();
  await Promise.all([first.sent, second.sent]);
});

test('limits the open event streams of a principal, of the fleet, agents and tasks together', async () => {
  const principal = 'user:streams@example.com';
  const caller = connectAs(one.url, principal);
  const ofTask = `/agents/${agent}/tasks/${task}`;
  const paths = ['/events', `/agents/${agent}/events`, `${ofTask}/events`, `${ofTask}/log-entries`];
  const streams = [stream(principal), stream(principal, paths[2])];
  expect((await Promise.all(streams.map(({ sent }) => sent))).map((reply) => reply?.status)).toEqual([200, 200]);
  for (const path of paths) {
    await expectTooMany(caller.http.get(path).set('accept', 'text/event-stream'));
    await caller.http.get(path).expect(200);
  }
  streams[0]?.end();
  await until(async () => (await stream(principal).sent)?.status === 200);
});

test('counts no stream of a client that leaves at once, is answered 204, or asks for a missing agent', async () => {
  const principal = 'user:fickle@example.com';
  const done = await one.createTask(agent);
  await one.http.put(`/agents/${agent}/tasks/${done.id}/cancellation`).expect(200);
  const path = `/agents/${agent}/tasks/${done.id}/events`;
  for (let at = 0; at < 6; at++) {
    const short = stream(principal);
    await sleep(at);
    short.end();
    await connectAs(one.url, principal)
      .http.get('/agents/missing/events')
      .set('accept', 'text/event-stream')
      .expect(404);
    const ended = connectAs(one.url, principal).http.get(path).set('accept', 'text/event-stream');
    await ended.set('last-event-id', '999999').then(({ status }) => expect([200, 204, 429]).toContain(status));
  }
  const allowed = async () => {
    const two = [stream(principal), stream(principal)];
    const replies = await Promise.all(two.map(({ sent }) => sent));
    for (const { end } of two) end();
    return replies.every((reply) => reply?.status === 200);
  };
  await until(allowed);
});

test('0 is no limit', async () => {
  const none = { MAX_WAITS_PER_PRINCIPAL: '0', MAX_STREAMS_PER_PRINCIPAL: '0' };
  const free = await startService({ env: none, prefix: one.prefix });
  const caller = connectAs(free.url, 'user:free@example.com');
  const waits = Array.from({ length: 30 }, () => caller.leaseByType('gpt', { wait_seconds: 1 }));
  expect(new Set((await Promise.all(waits)).map(({ status }) => status))).toEqual(new Set([204]));
});
