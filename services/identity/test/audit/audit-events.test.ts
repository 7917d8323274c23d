import { get as httpGet, type IncomingMessage } from 'node:http';
import { until } from '@agent-fleet/shared/testing/until';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { Response } from 'supertest';
import type { AuditEvent } from '../../src/audit/audit-event.ts';
import { asKey, createKey, type Headers } from '../support/api-keys.ts';
import { appendEntries, readTrail } from '../support/audit.ts';
import { type StartedService, startService } from '../support/start-service.ts';
import { adminOf, createUser, type TestUser } from '../support/users.ts';

const NDJSON = 'application/x-ndjson';

let service: StartedService;
let admin: TestUser;
beforeAll(async () => {
  service = await startService();
  admin = await adminOf(service);
});
afterAll(() => service.close());

const get = (query = '', headers: Headers = admin.headers) => service.http.get(`/audit-events${query}`).set(headers);

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

async function exportLines(query = '', accept = NDJSON): Promise<AuditEvent[]> {
  const { text, headers } = await get(query)
    .set('accept', accept)
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

test('has what was done, by whom, from where and by which request, oldest first', async () => {
  const user = await createUser(service, 'operator');
  const { id } = await createKey(service, { ...user.headers, 'x-request-id': 'my-request' });
  const events = await list(`?target=${id}`);
  expect(events).toEqual([
    {
      id: expect.stringMatching(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/),
      at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
      actor: { type: 'user', id: user.id, name: user.email },
      action: 'key.created',
      target: { type: 'key', id },
      outcome: 'success',
      address: '192.0.2.1',
      request_id: 'my-request',
    },
  ]);
  const all = await list('?limit=1000');
  expect(all.map((event) => event.id)).toEqual(all.map((event) => event.id).sort());
  expect(all).toEqual(await readTrail(service));
});

test('needs audit:read, for users as for keys', async () => {
  const user = await createUser(service, 'operator');
  for (const headers of [user.headers, asKey('ci', 'users:admin registry:admin')]) {
    const { body } = await get('', headers).expect(403);
    expect(body).toMatchObject({ error: 'forbidden', details: { required: 'audit:read' } });
  }
  await get('?limit=bad', user.headers).expect(403);
  await get('', asKey('ci', 'audit:read')).expect(200);
});

test('continues after an id, page by page, without a link at the end', async () => {
  await appendEntries(service, 25);
  const trail = await readTrail(service);
  const { events, sizes } = await walk('?limit=10');
  expect(events).toEqual(trail);
  expect(sizes.slice(0, -1).every((size) => size === 10)).toBe(true);
  const exact = await get(`?limit=${trail.length}`).expect(200);
  expect([exact.body.length, exact.headers.link]).toEqual([trail.length, undefined]);
  expect(await list(`?after=${trail[4]?.id}`)).toEqual(trail.slice(5, 105));
  expect(await list(`?after=${trail.at(-1)?.id}`)).toEqual([]);
  expect(await list('?after=')).toEqual(trail.slice(0, 100));
  // Also after one that was never there, or is no longer.
  expect(await list('?after=00000000-0000-7000-8000-000000000001&limit=1')).toEqual(trail.slice(0, 1));
  expect(await list('?after=ffffffff-ffff-7003-bfff-ffffffffffff')).toEqual([]);
});

test('reads and exports newest first, and continues with older events', async () => {
  await appendEntries(service, 1_300, (at) => (at % 500 === 0 ? { target: { type: 'agent', id: 'rare' } } : {}));
  const trail = (await readTrail(service)).toReversed();
  for (const limit of [7, 100, 500]) {
    const { events, sizes } = await walk(`?order=desc&limit=${limit}`);
    expect(events).toEqual(trail);
    expect(sizes.slice(0, -1).every((size) => size === limit)).toBe(true);
  }
  const rare = trail.filter(({ target }) => target?.id === 'rare');
  expect((await walk('?order=desc&target=rare&limit=2')).events).toEqual(rare);
  expect(rare).toHaveLength(3);
  const last = await get(`?order=desc&limit=2&after=${trail.at(-3)?.id}`).expect(200);
  expect([last.body, last.headers.link]).toEqual([trail.slice(-2), undefined]);
  expect(await list('?order=desc&after=')).toEqual(trail.slice(0, 100));
  expect(await list('?order=asc&limit=1')).toEqual(trail.slice(-1));
  expect(await list('?order=desc&after=ffffffff-ffff-7003-bfff-ffffffffffff&limit=1')).toEqual(trail.slice(0, 1));
  for (const id of [trail.at(-1)?.id, '00000000-0000-7000-8000-000000000000', '00000000-0000-7000-8000-000000000001']) {
    expect(await list(`?order=desc&after=${id}`)).toEqual([]);
    expect(await exportLines(`?order=desc&after=${id}`)).toEqual([]);
  }
  expect(await exportLines('?order=desc')).toEqual(trail);
  expect(await exportLines(`?order=desc&limit=7&after=${trail[600]?.id}`)).toEqual(trail.slice(601, 608));
  expect(await exportLines('?order=desc&target=rare')).toEqual(rare);
});

test.each([
  'after=0-0',
  'after=x',
  'after=00000000-0000-7000-8000-00000000000',
  'after=00000000-0000-4000-8000-000000000000',
  'after=ffffffff-ffff-7fff-bfff-ffffffffffff',
  'after=00000000-0000-7000-8000-000000000001&after=00000000-0000-7000-8000-000000000001',
  'limit=0',
  'limit=1001',
  'limit=-1',
  'limit=1e2',
  'limit=5&limit=6',
  'order=',
  'order=DESC',
  'order=asc&order=desc',
  'actor=a&actor=b',
  'action=a&action=b',
  'target=a&target=b',
])('%s is 400', async (query) => {
  for (const accept of ['application/json', NDJSON]) {
    const { body } = await get(`?${query}`).set('accept', accept).expect(400);
    expect(body).toMatchObject({ error: 'validation_error', details: { fields: [{ path: query.split('=')[0] }] } });
  }
});

test('finds events by actor, action and target', async () => {
  const actor = { type: 'oidc' as const, id: 'corp:77', name: 'Grace@Example.com' };
  const target = { type: 'agent', id: 'a-77' };
  await appendEntries(service, 1, () => ({ actor, action: 'task.created', target }));
  await appendEntries(service, 1, () => ({ actor, action: 'task.deleted', target: { type: 'task', id: 't-77' } }));
  await appendEntries(service, 1, () => ({ actor: { type: 'anonymous', id: null, name: null }, target: null }));
  const actions = async (query: string) => (await list(`?${query}`)).map(({ action }) => action);
  for (const text of ['corp:77', 'grace@example.com', 'GRACE@EXAMPLE.COM', 'oidc']) {
    expect(await actions(`actor=${encodeURIComponent(text)}`)).toEqual(['task.created', 'task.deleted']);
  }
  expect(await actions('actor=anonymous&action=agent.deleted')).toEqual(['agent.deleted']);
  expect(await actions('actor=oidc&action=task.created')).toEqual(['task.created']);
  expect(await actions('action=task.*&actor=corp:77')).toEqual(['task.created', 'task.deleted']);
  expect(await actions('action=task.*&target=t-77')).toEqual(['task.deleted']);
  expect(await actions('target=a-77')).toEqual(['task.created']);
  for (const none of ['actor=grace', 'action=task', 'action=*', 'action=task*', 'target=__proto__', 'actor=%00']) {
    expect(await actions(none)).toEqual([]);
  }
  expect(await list('?actor=&action=&target=')).toEqual((await readTrail(service)).slice(0, 100));
});

test('exports all events as lines, 3,000 and more', async () => {
  await appendEntries(service, 3_000, (at) => ({ request_id: `bulk-${at}` }));
  const trail = await readTrail(service);
  expect(trail.length).toBeGreaterThan(3_000);
  expect(await exportLines()).toEqual(trail);
  expect(await exportLines('', 'text/html;q=0.5, application/*;q=0.2, application/x-ndjson')).toEqual(trail);
  expect(await exportLines('?limit=7')).toEqual(trail.slice(0, 7));
  expect(await exportLines('?limit=1000')).toEqual(trail.slice(0, 1_000));
  expect(await exportLines(`?after=${trail[2_000]?.id}`)).toEqual(trail.slice(2_001));
  expect(await exportLines('?action=user.*')).toEqual(trail.filter(({ action }) => action.startsWith('user.')));
  expect(await exportLines('?actor=nobody')).toEqual([]);
  expect(await exportLines(`?after=${trail.at(-1)?.id}`)).toEqual([]);
});

test.each([
  '*/*',
  'application/json',
  'application/*',
  'text/html',
  `${NDJSON};q=0`,
  `application/json, ${NDJSON}`,
  'x',
])('Accept: %s gets JSON', async (accept) => {
  const { body, headers } = await get('?limit=1').set('accept', accept).expect(200);
  expect(headers['content-type']).toBe('application/json; charset=utf-8');
  expect(body).toHaveLength(1);
});

test('HEAD has no body, also of an export', async () => {
  const { text } = await service.http.head('/audit-events').set(admin.headers).set('accept', NDJSON).expect(200);
  expect(text).toBeUndefined();
});

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
