import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, expect, test } from '@jest/globals';
import { checkCopy, readDataDir } from '../database/redis-copy.ts';
import { startReplicas } from '../support/replicas.ts';
import { createAgents, createClient, startLoad } from './load.ts';

const ROUNDS = 3;
const replicas = await startReplicas([0, 0]);
const { redis, ownRedis, keys } = replicas;
afterAll(replicas.close);

test('leaves nothing to repair when a replica or Redis is killed under load', async () => {
  // A copy of the append-only file must not meet its rewriting.
  await redis.config('SET', 'auto-aof-rewrite-percentage', 0);
  const dir = await readDataDir(redis);
  const client = createClient(replicas.ports);
  const load = startLoad(client, await createAgents(client));
  for (let round = 0; round < ROUNDS; round++) {
    await sleep(500 + Math.random() * 500);
    await replicas.kill(round % 2);
    // A Redis without replicas: nothing has run that could repair anything.
    expect(await checkCopy(dir, keys)).toEqual([]);
    await ownRedis.kill();
    expect(await checkCopy(dir, keys)).toEqual([]);
    await ownRedis.restart();
    await replicas.start(round % 2);
  }
  await load.stopCreating();
  await load.stopWorking();
});
