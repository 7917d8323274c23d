import { createLogger } from '@agent-fleet/shared/logger';
import { afterAll, beforeEach, expect, test } from '@jest/globals';
import { createFleet } from '../src/fleet/fleet.ts';
import { createTaskQueue } from '../src/queue/task-queue.ts';
import { startService } from './support/start-service.ts';

const env = { AGENT_TYPES: 'claude,gpt,gemini,llama' };
const one = await startService({ env });
const other = await startService({ env, prefix: one.prefix });
const { redis, keys } = one;
const queue = createTaskQueue(redis, keys);
let agentId: string;
afterAll(async () => {
  await one.close();
  await other.close();
});
beforeEach(async () => {
  agentId = await one.createAgent('claude');
});

test('indexes thousands of tasks that two replicas create for one agent at once', async () => {
  const fields = { tags: ['many'] };
  const batches = Array.from({ length: 8 }, () =>
    [one, other].map((replica) => replica.createTasks(agentId, 500, fields)),
  );
  await Promise.all(batches.flat());
  expect(await one.total('/tasks?tag=many&limit=1')).toBe(8_000);
  const timers = await redis.zrange(keys.timers, 0, '-1');
  expect(timers.filter((member) => member.startsWith(agentId))).toHaveLength(8_000);
});

test('notifies a worker that waits at another replica', async () => {
  const waiting = other.lease(agentId, { wait_seconds: 20 });
  const { id } = await one.createTask(agentId);
  const { status, body } = await waiting;
  expect(status).toBe(201);
  expect(body.leases[0].task).toMatchObject({ id });
});

// A replica whose clock is ahead leaves a ready job of a task that starts later by the clocks of the others.
test.each([500, 2_500])('leases a task whose job is %d ms early by the clock of another replica', async (ahead) => {
  const agent = await one.createAgent('gemini');
  const scheduledAt = (inMs: number) => new Date(Date.now() + inMs).toISOString();
  const { id, priority } = await one.createTask(agent, { scheduled_at: scheduledAt(60_000) });
  const record = JSON.parse((await redis.get(keys.task(agent, id))) as string);
  await redis.set(keys.task(agent, id), JSON.stringify({ ...record, scheduled_at: scheduledAt(ahead) }));
  await redis.zadd(keys.timers, Date.now() + 3_600_000, `${agent} ${id}`);
  await queue.remove(agent, id);
  await queue.add(agent, { id, priority, startsAt: 0 });
  const waiting = other.leaseByType('gemini', { wait_seconds: 20 });
  // Its wakeup also moves it to the front of the round robin, so that the notified worker finds it.
  await redis.zadd(`${keys.ready}:gemini`, 1, agent);
  await redis.xadd(keys.wakeups, '*', 'a', agent, 'y', 'gemini', 'n', 1);
  expect((await waiting).body.leases[0].task).toMatchObject({ id });
});

test('finds an agent with work behind agents without work', async () => {
  for (let at = 0; at < 45; at++) {
    const agent = await one.createAgent('gpt');
    await one.createTask(agent);
    await one.lease(agent);
    // The agent is still in the index, as after a crash of the worker's replica.
    await redis.zadd(`${keys.ready}:gpt`, at, agent);
    await redis.hset(keys.lastWakeups, agent, 1);
  }
  const agent = await one.createAgent('gpt');
  const { id } = await one.createTask(agent);
  const { body } = await one.leaseByType('gpt');
  expect(body.leases[0].task).toMatchObject({ id });
});

test('leases a task that is created while two replicas find its agent idle', async () => {
  const slow = createFleet(redis, keys, queue, createLogger('test', 'silent'));
  const agent = await one.createAgent('llama');
  await one.createTask(agent);
  const picked = await slow.pickAgent(['llama']);
  expect(picked?.agentId).toBe(agent);
  // Leases the only task and marks the agent as idle.
  await other.lease(agent);
  const { id } = await one.createTask(agent);
  await slow.complete({ agentId: agent, entry: picked?.entry, lastWakeupWhenIdle: picked?.lastWakeup });
  const { body } = await one.leaseByType('llama');
  expect(body.leases[0].task).toMatchObject({ id });
});

test('finds a task behind stale jobs', async () => {
  const agent = await one.createAgent('gemini');
  const stale = Array.from({ length: 250 }, (_, at) => ({ id: `stale-${at}`, priority: 1, startsAt: 0 }));
  await queue.addAll(agent, stale);
  const { id } = await one.createTask(agent);
  const { body } = await one.leaseByType('gemini');
  expect(body.leases[0].task).toMatchObject({ id });
});

test('adds a job again that a concurrent change removes late', async () => {
  const { id } = await one.createTask(agentId);
  const put = (fields: object) => other.http.put(`/agents/${agentId}/tasks/${id}`).send({ message: 'x', ...fields });
  for (let tries = 0; tries < 40; tries++) {
    const puts = Promise.all([put({ priority: 1 }), put({ priority: 9 })]);
    const taken = await one.lease(agentId);
    if (taken.status === 201) await one.release(taken.body.leases[0]).expect(204);
    await puts;
    const { status, body } = await other.lease(agentId, { wait_seconds: 20 });
    expect(status).toBe(201);
    await one.release(body.leases[0]).expect(204);
  }
});
