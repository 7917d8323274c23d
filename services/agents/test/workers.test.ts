import { isDeepStrictEqual } from 'node:util';
import { storeOn } from '@agent-fleet/shared/redis/store';
import { until } from '@agent-fleet/shared/testing/until';
import { beforeEach, describe, expect, test } from '@jest/globals';
import type { Clock } from '../src/redis/clock.ts';
import type { FleetContext } from '../src/redis/fleet-context.ts';
import { WorkerActivity } from '../src/workers/worker-activity.ts';
import { checkDatabase } from './database/check-database.ts';
import { readClock } from './database/snapshot.ts';
import { connectAs } from './support/callers.ts';
import { startService } from './support/start-service.ts';
import { startTwoReplicas } from './support/two-replicas.ts';

const MINUTE_MS = 60_000;
const { one, other, redis, keys } = await startTwoReplicas();
let agentId: string;
beforeEach(async () => {
  agentId = await one.createAgent();
});

type Worker = Record<string, unknown>;

/** Waits until another replica lists the worker with these fields. */
async function untilListed(id: string, fields: Worker = {}): Promise<Worker> {
  const find = async () => {
    const { body } = await other.http.get('/workers?limit=1000').expect(200);
    return (body as Worker[]).find(({ worker_id }) => worker_id === id);
  };
  const holds = (found: Worker | undefined) => isDeepStrictEqual(found, { ...found, ...fields });
  return (await until(find, { holds: (found) => found !== undefined && holds(found), pollMs: 50 })) as Worker;
}

const waitingOf = async (taskId: string, ofAgent = agentId) =>
  (await other.http.get(`/agents/${ofAgent}/tasks/${taskId}/waiting`).expect(200)).body;

const forgetPolls = () =>
  redis.del(
    ...['claude', 'gpt', 'gemini', 'llama'].map((type) => keys.polls({ type })),
    keys.polls({ agent: agentId }),
  );

describe('a worker', () => {
  test('is listed for an hour after it was last seen, with what it took then, and a heartbeat counts', async () => {
    await one.createTask(agentId);
    const { leases } = (await one.lease(agentId, { worker_id: 'silent' })).body;
    await untilListed('silent');
    const agent_ids = [agentId];
    const now = await readClock(redis);
    const before = now - 60 * MINUTE_MS + 20_000;
    await redis.hset(keys.worker('silent'), `agent ${agentId}`, before - 200_000, `type codex`, before - 301_000);
    await redis.zadd(keys.workers, before, 'silent');
    await untilListed('silent', { last_seen_at: new Date(before).toISOString(), types: [], agent_ids });
    expect(await redis.pttl(keys.worker('silent'))).toBeGreaterThan(59 * MINUTE_MS);
    await redis.zadd(keys.workers, now - 60 * MINUTE_MS, 'silent');
    const { headers, body } = await one.http.get('/workers').expect(200);
    expect(body.map(({ worker_id }: Worker) => worker_id)).not.toContain('silent');
    expect(headers['x-total-count']).toBe(String(body.length));
    await one.http.put(`/leases/${leases[0].id}/heartbeat`).send({ token: leases[0].token }).expect(200);
    const { last_seen_at } = await untilListed('silent');
    expect(Date.parse(String(last_seen_at))).toBeGreaterThan(now - 5_000);
  });

  test('is last seen when it is first seen, or later, although the clock is set back', async () => {
    const now = await readClock(redis);
    const times = [now, now - 1, now - 1];
    const clock = { now: () => times.shift() } as unknown as Clock;
    const activity = new WorkerActivity({ ...storeOn(redis), keys, clock } as FleetContext);
    for (let time = 0; time < 2; time++) activity.seeLease('early', null);
    await activity.flush();
    expect(await untilListed('early')).toMatchObject({ last_seen_at: new Date(now).toISOString() });
    expect(await checkDatabase(redis, keys)).toEqual([]);
  });

  test('that was not seen is removed when another one is recorded', async () => {
    await one.lease(agentId, { worker_id: 'gone' });
    await untilListed('gone');
    await redis.zadd(keys.workers, (await readClock(redis)) - 61 * MINUTE_MS, 'gone');
    await one.lease(agentId, { worker_id: 'next' });
    await untilListed('next');
    expect(await redis.zscore(keys.workers, 'gone')).toBeNull();
    expect(await redis.exists(keys.worker('gone'))).toBe(0);
  });

  test('has the last 100 agents whose tasks it has requested', async () => {
    const agents: string[] = [];
    for (let at = 0; at < 230; at++) agents.push(await one.createAgent('gemini'));
    for (let at = 0; at < agents.length; at += 80) {
      const some = agents.slice(at, at + 80);
      await Promise.all(some.map((id) => one.lease(id, { worker_id: 'many' })));
      const fields = some.map((id) => `agent ${id}`);
      await until(async () => !(await redis.hmget(keys.worker('many'), ...fields)).includes(null));
    }
    const { agent_ids } = await untilListed('many');
    expect(agent_ids).toHaveLength(100);
    expect(agent_ids).toEqual(expect.arrayContaining(agents.slice(160)));
    expect(await redis.hlen(keys.worker('many'))).toBeLessThanOrEqual(210);
  });
});

describe('what a replica has not written yet', () => {
  test('is written when it stops', async () => {
    const third = await startService({ prefix: one.prefix });
    await one.createTask(agentId);
    const [lease] = (await third.lease(agentId, { worker_id: 'stopped' })).body.leases;
    await third.report(lease, { status: 'completed' }).expect(200);
    await third.close();
    expect(await untilListed('stopped')).toMatchObject({ completed: 1, leases: 0 });
  });

  test('is written once Redis is available again', async () => {
    const service = await startService({ ownRedis: true });
    await service.redis.config('SET', 'appendfsync', 'always');
    const id = await service.createAgent();
    await service.createTask(id);
    const [lease] = (await service.lease(id, { worker_id: 'patient' })).body.leases;
    await service.report(lease, { status: 'failed' }).expect(200);
    await service.ownRedis?.kill();
    await service.ownRedis?.restart();
    const read = async () => (await service.http.get('/workers').expect(200)).body[0];
    expect(await until(read, { holds: (worker) => worker?.failed > 0 })).toMatchObject({
      worker_id: 'patient',
      failed: 1,
      agent_ids: [id],
    });
  });
});

test('at most 10,000 workers are kept: those that were seen last', async () => {
  const now = await readClock(redis);
  const before = await redis.zrange(keys.workers, 0, '-1');
  for (let at = 0; at < 10_000; at += 1_000) {
    const step = Array.from({ length: 1_000 }, (_, index) => `old-${at + index}`);
    await redis.zadd(keys.workers, ...step.flatMap((id, index) => [now - 200_000 + at + index, id]));
    await Promise.all(step.map((id) => redis.hset(keys.worker(id), { first: now - 200_000, client: '' })));
  }
  for (let at = 0; at < 150; at++) await one.lease(agentId, { worker_id: `new-${at}` });
  await untilListed('new-149');
  const lowest = async () => Number(await redis.zcard(keys.workers));
  await until(async () => (await lowest()) <= 10_000);
  const { headers } = await one.http.get('/workers?limit=1').expect(200);
  expect(Number(headers['x-total-count'])).toBe(10_000);
  expect(await redis.zmscore(keys.workers, 'old-0', 'old-100')).toEqual([null, null]);
  expect((await redis.zmscore(keys.workers, 'new-0', 'old-9999')).every((score) => score !== null)).toBe(true);
  expect(before.length).toBeLessThan(10_000);
  const old = (await redis.zrange(keys.workers, 0, '-1')).filter((id) => id.startsWith('old-'));
  await redis.zrem(keys.workers, ...old);
  for (let at = 0; at < 10_000; at += 1_000) {
    await redis.unlink(...Array.from({ length: 1_000 }, (_, index) => keys.worker(`old-${at + index}`)));
  }
});

describe('a pending task', () => {
  beforeEach(forgetPolls);

  test('waits for a worker when none has ever requested tasks of its agent or type', async () => {
    const agent = await one.createAgent('llama');
    const { id } = await one.createTask(agent);
    expect(await waitingOf(id, agent)).toEqual({ reason: 'no_worker', since: null });
  });

  test.each([
    ['its type', () => keys.polls({ type: 'llama' })],
    ['its agent', (agent: string) => keys.polls({ agent })],
  ])('waits for a worker since the last request for tasks of %s, a minute after it', async (_what, key) => {
    const agent = await one.createAgent('llama');
    const { id, created_at } = await one.createTask(agent);
    const now = await readClock(redis);
    await redis.zadd(key(agent), now - MINUTE_MS - 1_000, '');
    const since = new Date(now - MINUTE_MS - 1_000).toISOString();
    expect(await waitingOf(id, agent)).toEqual({ reason: 'no_worker', since });
    await redis.zadd(key(agent), now - MINUTE_MS + 30_000, '');
    expect(await waitingOf(id, agent)).toEqual({ reason: 'in_line', since: created_at, ahead: 0 });
  });

  test('is in line while a request waits, however long, for tasks of its type', async () => {
    const agent = await one.createAgent('gemini');
    const waiting = one.leaseByType('gemini', { wait_seconds: 20, worker_id: 'patient' });
    await until(async () => (await redis.zscore(keys.polls({ type: 'gemini' }), '')) !== null);
    const first = Number(await redis.zscore(keys.polls({ type: 'gemini' }), ''));
    await until(async () => Number(await redis.zscore(keys.polls({ type: 'gemini' }), '')) > first);
    await one.http.put(`/agents/${agent}/pause`).expect(200);
    const { id } = await one.createTask(agent);
    expect(await waitingOf(id, agent)).toMatchObject({ reason: 'paused' });
    await one.http.delete(`/agents/${agent}/pause`).expect(204);
    expect((await waiting).status).toBe(201);
    expect(await waitingOf(id, agent)).toEqual({ reason: null, since: null });
  });

  test('counts requests of a key limited to agents for these agents only, and if they are of its types', async () => {
    const [mine, wrong, theirs] = [
      await one.createAgent('llama'),
      await one.createAgent('gpt'),
      await one.createAgent('llama'),
    ];
    const limited = connectAs(one.url, 'key:limited', { agents: [mine, wrong] });
    expect((await limited.leaseByType('llama', { worker_id: 'limited' })).status).toBe(204);
    expect(await untilListed('limited')).toMatchObject({ types: ['llama'], agent_ids: [mine, wrong].sort() });
    await until(async () => (await redis.zscore(keys.polls({ agent: mine }), '')) !== null);
    const reasons = await Promise.all(
      [mine, wrong, theirs].map(async (agent) => (await waitingOf((await one.createTask(agent)).id, agent)).reason),
    );
    expect(reasons).toEqual(['in_line', 'no_worker', 'no_worker']);
    expect(await redis.exists(keys.polls({ type: 'llama' }))).toBe(0);
  });

  test('of a deleted agent leaves nothing behind, even if a request for its tasks is recorded later', async () => {
    const agent = await one.createAgent('gpt');
    await one.lease(agent, { worker_id: 'late' });
    await one.http.delete(`/agents/${agent}`).expect(204);
    await untilListed('late', { agent_ids: [agent] });
    expect(await redis.exists(keys.polls({ agent }))).toBe(0);
  });
});
