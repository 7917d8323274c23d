import { createLogger } from '@agent-fleet/shared/logger';
import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';
import { createFleet } from '../src/fleet/fleet.ts';
import { createTaskQueue } from '../src/queue/task-queue.ts';
import { type StartedService, startService } from './start-service.ts';

let one: StartedService;
let other: StartedService;
let agentId: string;
beforeAll(async () => {
  const env = { AGENT_TYPES: 'claude,gpt,gemini,llama' };
  one = await startService({ env });
  other = await startService({ env, prefix: one.prefix });
});
afterAll(async () => {
  await one.close();
  await other.close();
});
beforeEach(async () => {
  agentId = await createAgent('claude');
});

async function createAgent(type: string): Promise<string> {
  return (await one.http.post('/agents').send({ name: 'x', type }).expect(201)).body.id;
}

async function createTask(agent = agentId, fields: object = {}) {
  return (
    await one.http
      .post(`/agents/${agent}/tasks`)
      .send({ message: 'x', ...fields })
      .expect(201)
  ).body;
}

const leaseByType = (service: StartedService, type: string, wait_seconds: number) =>
  service.http.post('/leases').send({ worker_id: 'w', types: [type], wait_seconds });

test('the fleet follows thousands of tasks that two replicas give one agent at once', async () => {
  const tasks = Array.from({ length: 500 }, () => ({ message: 'x', tags: ['many'] }));
  const replicas = [one, other];
  await Promise.all(
    Array.from({ length: 16 }, (_, at) =>
      (replicas[at % 2] as StartedService).http.post(`/agents/${agentId}/task-batches`).send({ tasks }).expect(201),
    ),
  );
  expect((await one.http.get('/tasks?tag=many&limit=1')).headers['x-total-count']).toBe('8000');
  const timers = await one.redis.zrange(one.keys.timers, 0, '-1');
  expect(timers.filter((member) => member.startsWith(agentId))).toHaveLength(8_000);
});

test('a waiting worker is woken by the other replica', async () => {
  const request = { worker_id: 'w', wait_seconds: 20 };
  const waiting = other.http
    .post(`/agents/${agentId}/leases`)
    .send(request)
    .then((response) => response);
  const { id } = await createTask();
  const { status, body } = await waiting;
  expect(status).toBe(201);
  expect(body.leases[0].task).toMatchObject({ id });
});

// What a replica whose clock is ahead leaves: a job that is ready, of a task that starts later by the clocks of the others.
test.each([500, 2_500])('a replica whose clock is %d ms ahead keeps no task from its worker', async (ahead) => {
  const agent = await createAgent('gemini');
  const scheduledAt = (inMs: number) => new Date(Date.now() + inMs).toISOString();
  const { id, priority } = await createTask(agent, { scheduled_at: scheduledAt(60_000) });
  const { redis, keys } = one;
  const record = JSON.parse((await redis.get(keys.task(agent, id))) as string);
  await redis.set(keys.task(agent, id), JSON.stringify({ ...record, scheduled_at: scheduledAt(ahead) }));
  await redis.zadd(keys.timers, Date.now() + 3_600_000, `${agent} ${id}`);
  const queue = createTaskQueue(redis, keys);
  await queue.remove(agent, id);
  await queue.add(agent, { id, priority, startsAt: 0 });
  const waiting = leaseByType(other, 'gemini', 20).then((response) => response);
  // As its ring would: in line first, so that whoever is woken finds it.
  await redis.zadd(`${keys.ready}:gemini`, 1, agent);
  await redis.xadd(keys.wakeups, '*', 'a', agent, 'y', 'gemini', 'n', 1);
  expect((await waiting).body.leases[0].task).toMatchObject({ id });
});

test('agents whose work was taken by workers of their own do not hide one that has work', async () => {
  for (let at = 0; at < 45; at++) {
    const agent = await createAgent('gpt');
    await createTask(agent);
    await one.http.post(`/agents/${agent}/leases`).send({ worker_id: 'w' }).expect(201);
    // They are still in line, as if the worker's replica had died before it took them out.
    await one.redis.zadd(`${one.keys.ready}:gpt`, at, agent);
    await one.redis.hset(one.keys.lastWakeups, agent, 1);
  }
  const agent = await createAgent('gpt');
  const { id } = await createTask(agent);
  const { body } = await leaseByType(one, 'gpt', 0).expect(201);
  expect(body.leases[0].task).toMatchObject({ id });
});

test('a task is found that comes after one replica and before another says that its agent is without work', async () => {
  const { redis, keys } = one;
  const slow = createFleet(redis, keys, createTaskQueue(redis, keys), createLogger('test', 'silent'));
  const agent = await createAgent('llama');
  await createTask(agent);
  const turn = await slow.pickAgent(['llama']);
  expect(turn?.agentId).toBe(agent);
  // Leases the only task, and says that there is no other.
  await other.http.post(`/agents/${agent}/leases`).send({ worker_id: 'w' }).expect(201);
  const { id } = await createTask(agent);
  await slow.complete({ agentId: agent, entry: turn?.entry, idleAt: turn?.lastWakeup });
  const { body } = await leaseByType(one, 'llama', 0).expect(201);
  expect(body.leases[0].task).toMatchObject({ id });
});

test('jobs that are out of date do not hide a task behind them', async () => {
  const { redis, keys } = one;
  const queue = createTaskQueue(redis, keys);
  const agent = await createAgent('gemini');
  const stale = Array.from({ length: 250 }, (_, at) => ({ id: `stale-${at}`, priority: 1, startsAt: 0 }));
  await queue.addAll(agent, stale);
  const { id } = await createTask(agent);
  const { body } = await leaseByType(one, 'gemini', 0).expect(201);
  expect(body.leases[0].task).toMatchObject({ id });
});

test('a job that is removed late by one change is issued again for another', async () => {
  const { id } = await createTask();
  const put = (fields: object) => other.http.put(`/agents/${agentId}/tasks/${id}`).send({ message: 'x', ...fields });
  const release = ({ id: leaseId, token }: { id: string; token: string }) =>
    one.http.delete(`/leases/${leaseId}`).set('x-lease-token', token);
  for (let tries = 0; tries < 40; tries++) {
    const puts = Promise.all([put({ priority: 1 }), put({ priority: 9 })]);
    const taken = await one.http.post(`/agents/${agentId}/leases`).send({ worker_id: 'w' });
    if (taken.status === 201) await release(taken.body.leases[0]).expect(204);
    await puts;
    const { status, body } = await other.http
      .post(`/agents/${agentId}/leases`)
      .send({ worker_id: 'w', wait_seconds: 20 });
    expect(status).toBe(201);
    await release(body.leases[0]).expect(204);
  }
});
