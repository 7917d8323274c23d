import { setTimeout as sleep } from 'node:timers/promises';
import { startTestRedis, type TestRedis } from '@agent-fleet/scripts/testing/test-redis';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { Redis } from 'ioredis';
import { createKeys } from '../../src/redis/keys.ts';
import { checkCopy, readDataDir } from '../database/redis-copy.ts';
import { type Replicas, startReplicas } from '../support/replicas.ts';
import { createAgents, createClient, startLoad } from './load.ts';

const ROUNDS = 3;
const keys = createKeys('fleet');
let redis: TestRedis;
let direct: Redis;
let replicas: Replicas;

beforeAll(async () => {
  redis = await startTestRedis();
  direct = new Redis(redis.url);
  replicas = await startReplicas({ redisUrl: redis.url, clocksMs: [0, 0] });
});
afterAll(async () => {
  direct.disconnect();
  await replicas.close();
  await redis.close();
});

test('leaves nothing to repair when a replica or Redis is killed under load', async () => {
  // A copy of the append-only file must not meet its rewriting.
  await direct.config('SET', 'auto-aof-rewrite-percentage', 0);
  const dir = await readDataDir(direct);
  const client = createClient(replicas.ports);
  const load = startLoad(client, await createAgents(client));
  for (let round = 0; round < ROUNDS; round++) {
    await sleep(500 + Math.random() * 500);
    await replicas.kill(round % 2);
    // A Redis without replicas: nothing has run that could repair anything.
    expect(await checkCopy(dir, keys)).toEqual([]);
    await redis.kill();
    expect(await checkCopy(dir, keys)).toEqual([]);
    await redis.restart();
    await replicas.start(round % 2);
  }
  await load.stopCreating();
  await load.stopWorking();
});
