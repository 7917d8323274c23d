import { get as httpGet, type IncomingMessage } from 'node:http';
import { until } from '@agent-fleet/shared/testing/until';
import { expect, test } from '@jest/globals';
import type { Response } from 'supertest';
import type { AuditEvent } from '../../src/audit/audit-event.ts';
import { appendEntries, readTrail } from '../support/audit.ts';
import { startService } from '../support/start-service.ts';
import { adminOf } from '../support/users.ts';

const NDJSON = 'application/x-ndjson';

const service = await startService();
const admin = await adminOf(service);

const get = (query = '') => service.http.get(`/audit-events${query}`).set(admin.headers);

async function list(query = ''): Promise<AuditEvent[]> {
  return (await get(query).expect(200)).body;
}

/** Follows the links of a page to the end. */
async function walk(query: string): Promise<{ events: AuditEvent[]; sizes: number[] }> {
  const events: AuditEvent[] = [];
  const sizes: number[] = [];
  for (let path: string | undefined = `/audit-events${query}`; path !== undefined; ) {
    const { body, headers }: Response = await service.http.get(path).set(admin.headers).expect(200);
    events.push(...body);
    sizes.push(body.length);
    path = /^<(.+)>; rel="next"$/.exec(headers.link ?? '')?.[1];
  }
  return { events, sizes };
}

async function exportLines(query = ''): Promise<AuditEvent[]> {
  const { text, headers } = await get(query)
    .set('accept', NDJSON)
    .buffer(true)
    .parse((res, done) => {
      let all = '';
      res.setEncoding('utf8');
      res.on('data', (part) => {
        all += part;
      });
      res.on('end', () => done(null, all));
    })
    .expect(200)
    .then(({ body, headers }) => ({ text: body as unknown as string, headers }));
  expect(headers['content-type']).toBe(`${NDJSON}; charset=utf-8`);
  if (text !== '') expect(text.endsWith('\n')).toBe(true);
  return text
    .split('\n')
    .slice(0, -1)
    .map((line) => JSON.parse(line));
}

test.each(['asc', 'desc'] as const)(
  'order=%s reads and exports every event, and continues after any id',
  async (order) => {
    // More than are read at once.
    await appendEntries(service, 700, (at) =>
      at % 300 === 0 ? { target: { type: 'agent', id: `rare-${order}` } } : {},
    );
    const oldest = await readTrail(service);
    const trail = order === 'asc' ? oldest : oldest.toReversed();
    const [before, beyond] = ['00000000-0000-7000-8000-000000000001', 'ffffffff-ffff-7003-bfff-ffffffffffff'];
    const [start, end] = order === 'asc' ? [before, beyond] : [beyond, before];
    for (const limit of [90, 500]) {
      const { events, sizes } = await walk(`?order=${order}&limit=${limit}`);
      expect(events).toEqual(trail);
      expect(sizes.slice(0, -1).every((size) => size === limit)).toBe(true);
    }
    const rare = trail.filter(({ target }) => target?.id === `rare-${order}`);
    expect(rare).toHaveLength(3);
    expect((await walk(`?order=${order}&target=rare-${order}&limit=2`)).events).toEqual(rare);
    const last = await get(`?order=${order}&limit=2&after=${trail.at(-3)?.id}`).expect(200);
    expect([last.body, last.headers.link]).toEqual([trail.slice(-2), undefined]);
    expect(await list(`?order=${order}&after=`)).toEqual(trail.slice(0, 100));
    // Also after one that was never there, or is no longer.
    expect(await list(`?order=${order}&after=${start}&limit=1`)).toEqual(trail.slice(0, 1));
    for (const id of [trail.at(-1)?.id, end, ...(order === 'desc' ? ['00000000-0000-7000-8000-000000000000'] : [])]) {
      expect(await list(`?order=${order}&after=${id}`)).toEqual([]);
      expect(await exportLines(`?order=${order}&after=${id}`)).toEqual([]);
    }
    expect(await exportLines(`?order=${order}`)).toEqual(trail);
    expect(await exportLines(`?order=${order}&limit=600`)).toEqual(trail.slice(0, 600));
    expect(await exportLines(`?order=${order}&limit=7&after=${trail[600]?.id}`)).toEqual(trail.slice(601, 608));
    expect(await exportLines(`?order=${order}&target=rare-${order}`)).toEqual(rare);
  },
);

test('a filtered page looks at a bounded number of events, and leads on when it finds none', async () => {
  const rare = { target: { type: 'agent', id: 'needle' } };
  await appendEntries(service, 1, () => rare);
  await appendEntries(service, 12_000);
  await appendEntries(service, 2, () => rare);
  const { events, sizes } = await walk('?target=needle&limit=2');
  expect(events).toHaveLength(3);
  expect(sizes.length).toBeLessThanOrEqual(4);
  expect(sizes).toContain(1);
  for (const order of ['asc', 'desc']) {
    expect(await walk(`?target=nothing&order=${order}`)).toEqual({ events: [], sizes: [0, 0] });
  }
  expect(await exportLines('?target=needle')).toEqual(events);
});

test('limits exports at once, and forgets those whose clients have gone away', async () => {
  await appendEntries(service, 30_000);
  const stuck = await Promise.all(
    Array.from({ length: 20 }, () => {
      const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
      httpGet(
        `${service.url}/audit-events`,
        { agent: false, headers: { ...admin.headers, accept: NDJSON } },
        resolve,
      ).on('error', reject);
      return promise;
    }),
  );
  expect(stuck.map(({ statusCode }) => statusCode)).toEqual(Array(20).fill(200));
  const refused = await get('').set('accept', NDJSON).expect(503);
  expect(refused.body.error).toBe('overloaded');
  expect(refused.headers['retry-after']).toBe('1');
  // Pages are served meanwhile.
  await get('?limit=1').expect(200);
  for (const response of stuck) response.on('error', () => {}).destroy();
  await until(async () => (await get('?limit=1').set('accept', NDJSON)).status === 200, { message: 'exports go on' });
  expect(service.logs.filter(({ msg }) => msg.startsWith('export of'))).toEqual([]);
});
