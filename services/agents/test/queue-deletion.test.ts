import { createLogger } from '@agent-fleet/shared/logger';
import { connectRedis, type RedisClient, waitForRedis } from '@agent-fleet/shared/redis/connection';
import { testRedisUrl, uniquePrefix } from '@agent-fleet/shared/testing/redis';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { Redis } from 'ioredis';
import { createKeys } from '../src/keys.ts';
import { createTaskQueue } from '../src/queue/task-queue.ts';

const connections: RedisClient[] = [];
beforeAll(async () => {
  for (let at = 0; at < 3; at++) {
    const redis = connectRedis(testRedisUrl(), createLogger('test', 'silent'));
    connections.push(redis);
    await waitForRedis(redis, 60_000);
  }
});
afterAll(() => {
  for (const redis of connections) redis.disconnect();
});

/** A deletion that takes long is taken by the sweep for one that has crashed, and a change that comes too late removes it too. */
test('an agent’s queue is removed although others do so at the same time', async () => {
  const prefix = uniquePrefix('deletion');
  const queues = connections.map((redis) => createTaskQueue(redis, createKeys(prefix)));
  for (let round = 0; round < 5; round++) {
    // More than BullMQ removes in one step.
    const tasks = Array.from({ length: 1_200 }, (_, at) => ({ id: `task-${at}`, priority: 5, startsAt: 0 }));
    await queues[0]?.addAll('agent', tasks);
    await Promise.all(queues.map((queue) => queue.obliterate('agent')));
    expect(await (connections[0] as Redis).keys(`${prefix}:*`)).toEqual([]);
  }
});
