import { createLogger } from '@agent-fleet/shared/logger';
import { connectRedis, waitForRedis } from '@agent-fleet/shared/redis/connection';
import { testRedisUrl, uniquePrefix } from '@agent-fleet/shared/testing/redis';
import { afterAll, expect, test } from '@jest/globals';
import type { Redis } from 'ioredis';
import { createKeys } from '../src/keys.ts';
import { createTaskQueue } from '../src/queue/task-queue.ts';
import { startService } from './support/start-service.ts';

const service = await startService();
afterAll(() => service.close());

const keysOf = (agentId: string) => service.redis.keys(`${service.prefix}:{${agentId}}:*`);

test.each(['a task', 'an agent with a task'])('deletes every key and index entry of %s', async (what) => {
  const { http, redis, keys } = service;
  const agentId = await service.createAgent();
  const { id } = await service.createTask(agentId, { tags: ['a'] });
  const path = `/agents/${agentId}`;
  await http.delete(what === 'a task' ? `${path}/tasks/${id}` : path).expect(204, '');
  expect(await redis.keys(`${service.prefix}:*${id}*`)).toEqual([]);
  expect(await redis.zscore(keys.timers, `${agentId} ${id}`)).toBeNull();
  expect(await redis.hexists(keys.taskIndexEntries, id)).toBe(0);
  expect(await redis.zcard(keys.fleetTasks({ tag: 'a' }))).toBe(0);
  const agents = what === 'a task' ? 1 : 0;
  expect([await redis.zcard(keys.agents()), await redis.exists(keys.agent(agentId))]).toEqual([agents, agents]);
  if (agents > 0) await http.delete(path).expect(204);
  expect(await keysOf(agentId)).toEqual([]);
});

test('responds 404 for the tasks of a deleted agent before they are removed', async () => {
  const agentId = await service.createAgent();
  const { id } = await service.createTask(agentId);
  await service.redis.del(service.keys.agent(agentId));
  await service.http.get(`/agents/${agentId}/tasks/${id}`).expect(404, { detail: 'Agent not found' });
});

test('leaves nothing of an agent that is deleted while tasks are created and leased', async () => {
  const agentId = await service.createAgent();
  const statuses: number[] = [];
  const sendRepeatedly = async (send: () => Promise<{ status: number }>) => {
    for (let tries = 0; tries < 40; tries++) statuses.push((await send()).status);
  };
  const asking = Array.from({ length: 4 }, () => [
    sendRepeatedly(() => service.http.post(`/agents/${agentId}/tasks`).send({ message: 'x' })),
    sendRepeatedly(() => service.lease(agentId, { max_tasks: 2 })),
  ]).flat();
  await service.createTask(agentId);
  await service.http.delete(`/agents/${agentId}`).expect(204);
  await Promise.all(asking);
  expect(statuses.filter((status) => ![201, 204, 404].includes(status))).toEqual([]);
  expect(await keysOf(agentId)).toEqual([]);
});

// The sweep treats a slow deletion like a crashed one, and a late change deletes the queue too.
test('deletes a queue that others delete at the same time', async () => {
  const prefix = uniquePrefix('deletion');
  const connections = Array.from({ length: 3 }, () => connectRedis(testRedisUrl(), createLogger('test', 'silent')));
  await Promise.all(connections.map((redis) => waitForRedis(redis, 60_000)));
  const queues = connections.map((redis) => createTaskQueue(redis, createKeys(prefix)));
  for (let round = 0; round < 5; round++) {
    // More than BullMQ deletes in one step.
    const tasks = Array.from({ length: 1_200 }, (_, at) => ({ id: `task-${at}`, priority: 5, startsAt: 0 }));
    await queues[0]?.addAll('agent', tasks);
    await Promise.all(queues.map((queue) => queue.obliterate('agent')));
    expect(await (connections[0] as Redis).keys(`${prefix}:*`)).toEqual([]);
  }
  for (const redis of connections) redis.disconnect();
});
