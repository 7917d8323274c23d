import { createIdentityKeys } from '@agent-fleet/access/keys';
import { createLogger } from '@agent-fleet/shared/logger';
import { storeOn } from '@agent-fleet/shared/redis/store';
import { until } from '@agent-fleet/shared/testing/until';
import { beforeEach, expect, test } from '@jest/globals';
import { createAuditOutbox } from '../../src/audit/outbox.ts';
import type { FleetContext } from '../../src/redis/fleet-context.ts';
import { connectAs } from '../support/callers.ts';
import { startService } from '../support/start-service.ts';

// Its background job would move entries too.
const service = await startService({ backgroundEveryMs: 3_600_000 });
const { redis, keys, prefix } = service;
const trail = createIdentityKeys(prefix).audit;
beforeEach(() => redis.del(trail));

const ada = connectAs(service.url, 'user:ada@example.com');
const create = () => ada.http.post('/agents').send({ name: 'x', type: 'gpt' });
const config = { redis: { prefix } };
const context = { config, ...storeOn(redis), keys, logger: createLogger('agents', 'silent') } as FleetContext;
const openOutbox = () => createAuditOutbox(context);

/** While there is no stream, nothing can be moved. */
const breakTrail = () => redis.set(trail, 'no stream');

async function readTargets(from = redis, stream = trail): Promise<string[]> {
  return (await from.xrange(stream, '-', '+')).map(([, [, json]]) => JSON.parse(json as string).target.id);
}

async function fillOutbox(count: number): Promise<string[]> {
  const ids = Array.from({ length: count }, (_, at) => String(at));
  const pipeline = redis.pipeline();
  for (const id of ids) pipeline.xadd(keys.auditOutbox, '*', 'e', JSON.stringify({ target: { id } }));
  await pipeline.exec();
  return ids;
}

test('records who made a change, from where, and by which request', async () => {
  const eve = connectAs(service.url, 'oidc:corp:42', { name: 'eve%40example.com' });
  const headers = { 'x-forwarded-for': '2001:db8::7', 'x-request-id': 'request-1' };
  const { body } = await eve.http.post('/agents').set(headers).send({ name: 'x', type: 'gpt' }).expect(201);
  // Without the header of a principal, nothing is recorded.
  await service.createTask(body.id);
  const [[, [, json]]] = (await redis.xrange(trail, '-', '+')) as [[string, [string, string]]];
  expect(await redis.xlen(trail)).toBe(1);
  expect(JSON.parse(json)).toEqual({
    actor: { type: 'oidc', id: 'id-of-oidc:corp:42', name: 'eve@example.com' },
    action: 'agent.created',
    target: { type: 'agent', id: body.id },
    outcome: 'success',
    address: '2001:db8::7',
    request_id: 'request-1',
  });
});

test('responds to changes while the trail is unavailable, and moves their entries later, in order', async () => {
  await breakTrail();
  const ids = [];
  for (let at = 0; at < 3; at++) ids.push((await create().expect(201)).body.id);
  await redis.del(trail);
  ids.push((await create().expect(201)).body.id);
  expect(await readTargets()).toEqual(ids);
});

test('moves each entry once, in order, while many replicas move them', async () => {
  const movers = Array.from({ length: 4 }, openOutbox);
  const ids = await fillOutbox(1_000);
  for (let round = 0; round < 5; round++) await Promise.all(movers.map(({ move }) => move()));
  expect(await readTargets()).toEqual(ids);
  expect(await redis.xlen(keys.auditOutbox)).toBeLessThan(100);
});

test('moves each entry once when a replica is killed before it removes them from the outbox', async () => {
  const ids = await fillOutbox(150);
  await openOutbox().move();
  // What the killed replica would have removed is still there, and more has come.
  expect(await redis.xlen(keys.auditOutbox)).toBeGreaterThan(0);
  await fillOutbox(50);
  await openOutbox().move();
  expect(await readTargets()).toEqual([...ids, ...ids.slice(0, 50)]);
});

test('moves new entries whose ids are lower than those that a failover has lost', async () => {
  const ids = await fillOutbox(2);
  await openOutbox().move();
  await redis.del(keys.auditOutbox);
  await redis.xadd(keys.auditOutbox, '5-0', 'e', JSON.stringify({ target: { id: 'new' } }));
  await openOutbox().move();
  expect(await readTargets()).toEqual([...ids, 'new']);
  await redis.del(keys.auditOutbox);
});

test('refuses changes by people while 100,000 entries wait, and lets API keys work', async () => {
  await breakTrail();
  const fill = "for i = 1, 100000 do redis.call('XADD', KEYS[1], '*', 'e', '{}') end";
  await redis.eval(fill, 1, keys.auditOutbox);
  await create().expect(201);
  const { body, headers } = await create().expect(503);
  expect(body).toMatchObject({ error: 'unavailable' });
  expect(headers['retry-after']).toBe('5');
  await ada.http.get('/agents').expect(200);
  await connectAs(service.url, 'key:deploy').createAgent();
  await redis.del(keys.auditOutbox, trail);
  await until(async () => (await create()).status === 201);
});

test('moves by the background job what a killed replica has left', async () => {
  const other = await startService({ backgroundEveryMs: 200 });
  await other.redis.xadd(other.keys.auditOutbox, '*', 'e', JSON.stringify({ target: { id: 'left' } }));
  const { audit } = createIdentityKeys(other.prefix);
  await until(async () => (await other.redis.xlen(audit)) === 1);
  await until(async () => (await other.redis.xlen(other.keys.auditOutbox)) === 0);
  expect(await readTargets(other.redis, audit)).toEqual(['left']);
});
