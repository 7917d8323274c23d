import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { until } from '@agent-fleet/shared/testing/until';
import { afterAll, expect, test } from '@jest/globals';
import { checkDatabase } from './database/check-database.ts';
import { connectAs } from './support/callers.ts';
import type { Lease } from './support/client.ts';
import { startService } from './support/start-service.ts';

const STALLED_MS = 4_000;
const MAX_TEXT = 16_384;
const BATCH = 95;

const one = await startService({ stalledMs: STALLED_MS });
const other = await startService({ prefix: one.prefix });
const { redis, keys } = one;
const open = new Set<AbortController>();
afterAll(async () => {
  for (const controller of open) controller.abort();
  await one.close();
  await other.close();
});

type Service = Pick<typeof one, 'http'>;

async function run(): Promise<Lease> {
  const agentId = await one.createAgent();
  await one.createTask(agentId);
  return (await one.lease(agentId)).body.leases[0];
}

const add = ({ http }: Service, { id, token }: Lease, ...texts: string[]) =>
  http.post(`/leases/${id}/log-entries`).send({ token, entries: texts.map((text) => ({ text })) });

const pathOf = ({ task }: Lease) => `/agents/${task.agent_id}/tasks/${task.id}/log-entries`;

async function follow({ url }: { url: string }, lease: Lease, query = '', more: Record<string, string> = {}) {
  const controller = new AbortController();
  open.add(controller);
  const headers = { accept: 'text/event-stream', ...more };
  const response = await fetch(url + pathOf(lease) + query, { headers, signal: controller.signal });
  const { status } = response;
  const stream = {
    status,
    text: '',
    ended: false,
    texts: () => [...stream.text.matchAll(/^data: (.+)$/gm)].map(toText),
  };
  const read = async () => {
    for await (const part of response.body as ReadableStream<Uint8Array>) stream.text += Buffer.from(part).toString();
  };
  void read()
    .catch(() => {})
    .finally(() => {
      stream.ended = true;
    });
  return stream;
}

const toText = ([, json = '']: RegExpMatchArray): string => JSON.parse(json).text;

test('a client at another replica gets entries within 200 ms, and the end of the stream', async () => {
  const lease = await run();
  const stream = await follow(other, lease);
  await add(one, lease, 'first').expect(204);
  await until(() => stream.texts().length === 1);
  const delays: number[] = [];
  for (let at = 0; at < 20; at++) {
    await add(one, lease, `${at}`).expect(204);
    const start = performance.now();
    await until(() => stream.texts().includes(`${at}`), { pollMs: 1 });
    delays.push(performance.now() - start);
  }
  expect(delays.toSorted((a, b) => a - b)[10]).toBeLessThan(200);
  await one.report(lease, { status: 'completed' }).expect(200);
  await until(() => stream.ended);
  expect(stream.texts()).toEqual(['first', ...Array.from({ length: 20 }, (_, at) => `${at}`)]);
});

test('a log begins with its last entries by tail, which after and Last-Event-ID replace', async () => {
  const lease = await run();
  const read = async (query: string) => {
    const { body, headers } = await one.http.get(`${pathOf(lease)}?${query}`).expect(200);
    return { ids: body.map(({ id }: { id: number }) => id), link: headers.link };
  };
  expect(await read('tail=5')).toEqual({ ids: [], link: undefined });
  await add(one, lease, ...Array.from({ length: 12 }, (_, at) => `${at + 1}`)).expect(204);
  expect(await read('tail=3')).toEqual({ ids: [10, 11, 12], link: undefined });
  expect(await read('tail=0')).toEqual({ ids: [], link: undefined });
  expect((await read('tail=1000')).ids).toHaveLength(12);
  expect((await read('tail=2&after=4')).ids).toEqual([5, 6, 7, 8, 9, 10, 11, 12]);
  const page = await read('tail=4&limit=2');
  expect(page).toEqual({ ids: [9, 10], link: `<${pathOf(lease)}?tail=4&limit=2&after=10>; rel="next"` });
  expect((await read('tail=4&limit=2&after=10')).ids).toEqual([11, 12]);
  await redis.xtrim(keys.logs(lease.task.id), 'MAXLEN', 4);
  expect((await read('tail=4')).ids).toEqual([9, 10, 11, 12]);
  expect((await read('tail=5')).ids).toEqual([8, 9, 10, 11, 12]);
});

test('a stream with tail begins with the last entries and goes on', async () => {
  const lease = await run();
  await add(one, lease, ...Array.from({ length: 12 }, (_, at) => `${at + 1}`)).expect(204);
  const [some, none, resumed] = [
    await follow(one, lease, '?tail=2'),
    await follow(other, lease, '?tail=0'),
    await follow(one, lease, '?tail=2', { 'last-event-id': '9' }),
  ];
  await add(one, lease, '13').expect(204);
  for (const stream of [some, none, resumed]) await until(() => stream.texts().includes('13'));
  expect([some, none, resumed].map((stream) => stream.texts())).toEqual([
    ['11', '12', '13'],
    ['13'],
    ['10', '11', '12', '13'],
  ]);
  await one.report(lease, { status: 'completed' }).expect(200);
  await until(() => [some, none, resumed].every((stream) => stream.ended));
  const ended = await follow(one, lease, '?tail=1');
  await until(() => ended.ended);
  expect(ended.texts()).toEqual(['13']);
  expect((await follow(one, lease, '?tail=0')).status).toBe(204);
});

test('entries that two replicas add at once get ids without gaps, and stay within the bounds', async () => {
  const lease = await run();
  const sizes = [0, 1, 300, MAX_TEXT];
  const batches = Array.from({ length: 120 }, (_, at) =>
    Array(BATCH).fill('é'.repeat((sizes[at % sizes.length] as number) / 2)),
  );
  await Promise.all(batches.map((texts, at) => add(at % 2 ? one : other, lease, ...texts).expect(204)));
  const log = await redis.xrange(keys.logs(lease.task.id), '-', '+');
  expect(log.at(-1)?.[0]).toBe(`${120 * BATCH}-0`);
  expect(await checkDatabase(redis, keys)).toEqual([]);
});

test('a log goes with its task, its agent, and the retention', async () => {
  const leases = [await run(), await run()] as const;
  for (const lease of leases) await add(one, lease, ...Array(BATCH).fill('x'.repeat(MAX_TEXT))).expect(204);
  const [first, second] = leases;
  await one.http.delete(`/agents/${first.task.agent_id}/tasks/${first.task.id}`).expect(204);
  await one.http.delete(`/agents/${second.task.agent_id}`).expect(204);
  const names = leases.map(({ task }) => keys.logs(task.id));
  await until(async () => (await redis.exists(...names)) === 0);
  expect(await checkDatabase(redis, keys)).toEqual([]);
});

test('a client that does not read is disconnected, while others get all entries', async () => {
  const lease = await run();
  const { hostname, port } = new URL(one.url);
  const slow = connect(Number(port), hostname);
  slow.on('error', () => {});
  slow.write(`GET ${pathOf(lease)} HTTP/1.1\r\nhost: ${hostname}\r\naccept: text/event-stream\r\n\r\n`);
  await new Promise<void>((resolve) => slow.once('data', () => resolve()));
  slow.pause();
  const fast = await follow(one, lease);
  const texts = Array.from({ length: 20 }, (_, at) => `${at}`.padEnd(MAX_TEXT, '\0'));
  for (let times = 0; times < 10; times++) {
    await add(one, lease, ...texts.slice(0, 15)).expect(204);
    await until(() => fast.texts().length === (times + 1) * 15);
  }
  await sleep(2 * STALLED_MS);
  slow.resume();
  await until(() => slow.closed);
  expect(slow.bytesRead).toBeLessThan(150 * 6 * MAX_TEXT);
  expect(fast.ended).toBe(false);
});

test('a stream counts for the quota of open streams, and a key sees only the logs of its agents', async () => {
  await using limited = await startService({ prefix: one.prefix, env: { MAX_STREAMS_PER_PRINCIPAL: '1' } });
  const lease = await run();
  const agents = [lease.task.agent_id];
  const key = connectAs(limited.url, 'key:a', { agents });
  await key.http.get(pathOf(lease)).expect(200);
  await add(key, lease, 'x').expect(204);
  const foreign = await run();
  await key.http.get(pathOf(foreign)).expect(404);
  await add(key, foreign, 'x').expect(404);
  const controller = new AbortController();
  open.add(controller);
  const headers = { ...key.headers, accept: 'text/event-stream' };
  const stream = () => fetch(limited.url + pathOf(lease), { headers, signal: controller.signal });
  // A response that nobody holds may be closed.
  const [first, second] = [await stream(), await stream()];
  expect([first.status, second.status]).toEqual([200, 429]);
});

test('a client that resumes after an entry that Redis has lost gets the entries that follow', async () => {
  const lease = await run();
  await add(one, lease, 'one').expect(204);
  const controller = new AbortController();
  open.add(controller);
  const headers = { accept: 'text/event-stream', 'last-event-id': '40' };
  const response = await fetch(one.url + pathOf(lease), { headers, signal: controller.signal });
  let text = '';
  void (async () => {
    for await (const part of response.body as ReadableStream<Uint8Array>) text += Buffer.from(part).toString();
  })().catch(() => {});
  await until(() => text.includes('retry'));
  await add(one, lease, 'two').expect(204);
  await until(() => text.includes('"text":"two"'));
});
