import { setTimeout as sleep } from 'node:timers/promises';
import { beforeEach, expect, test } from '@jest/globals';
import { checkDatabase } from './database/check-database.ts';
import { startTwoReplicas } from './support/two-replicas.ts';

const { one, other, redis, keys } = await startTwoReplicas();
let agentId: string;
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
  expect(await checkDatabase(redis, keys)).toEqual([]);
});

test('notifies a worker that waits at another replica', async () => {
  const waiting = other.lease(agentId, { wait_seconds: 20 });
  // The worker waits now.
  await sleep(500);
  const { id } = await one.createTask(agentId);
  const { status, body } = await waiting;
  expect(status).toBe(201);
  expect(body.leases[0].task).toMatchObject({ id });
});

test('notifies a worker that waits for the type to which an agent with work changes', async () => {
  await one.createTask(agentId);
  const waiting = other.leaseByType('llama', { wait_seconds: 5 });
  // The worker waits now.
  await sleep(500);
  await one.http.put(`/agents/${agentId}`).send({ name: 'x', type: 'llama' }).expect(200);
  expect((await waiting).status).toBe(201);
});

test('finds an agent with work among agents whose tasks were all leased', async () => {
  for (let at = 0; at < 45; at++) {
    const agent = await one.createAgent('gpt');
    await one.createTask(agent);
    await other.lease(agent);
  }
  const agent = await one.createAgent('gpt');
  const { id } = await one.createTask(agent);
  const { body } = await other.leaseByType('gpt');
  expect(body.leases[0].task).toMatchObject({ id });
});

test('leases tasks to all workers that ask at once, also when some agents have fewer than others', async () => {
  for (const count of [1, 1, 1, 1, 8]) await one.createTasks(await one.createAgent('gemini'), count);
  const replies = await Promise.all(Array.from({ length: 12 }, () => one.leaseByType('gemini')));
  expect(replies.map(({ status }) => status)).toEqual(Array(12).fill(201));
});

test('leases every task that is created while another replica takes the last one of its agent', async () => {
  const agent = await one.createAgent('llama');
  const created: string[] = [];
  const leased: string[] = [];
  for (let round = 0; round < 40; round++) {
    const [task, taken] = await Promise.all([one.createTask(agent), other.leaseByType('llama')]);
    created.push(task.id);
    if (taken.status === 201) leased.push(taken.body.leases[0].task.id);
  }
  while (leased.length < created.length) {
    const { body } = await other.leaseByType('llama', { wait_seconds: 1 });
    leased.push(body.leases[0].task.id);
  }
  expect(leased.toSorted()).toEqual(created.toSorted());
});

test('queues a task once while it is replaced, leased and released at once', async () => {
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
  expect(await redis.zcard(keys.queue(agentId))).toBe(1);
});
