import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, expect, test } from '@jest/globals';
import { checkCopy, readDataDir } from '../database/redis-copy.ts';
import { startReplicas } from '../support/replicas.ts';
import { createAgents, createClient, startLoad } from './load.ts';
import { verifyLoad } from './verify-load.ts';

const SECONDS = Number(process.env.CRASH_SECONDS ?? 20);
const REPLICAS = 3;
const REDIS_KILLS = 5;

const replicas = await startReplicas(Array(REPLICAS).fill(0));
const { redis, ownRedis, keys } = replicas;
afterAll(replicas.close);

/** Kills and restarts replicas and Redis at random; returns the number of each, and what a kill of Redis left wrong. */
async function killAtRandom() {
  const dir = await readDataDir(redis);
  const kills = { replicas: 0, redis: 0 };
  const problems: string[] = [];
  const begin = Date.now();
  const starting: Promise<void>[] = [];
  for (let share = 0; share < 1; share = (Date.now() - begin) / (SECONDS * 1_000)) {
    await sleep(1_000 + Math.random() * 2_000);
    if (share >= (kills.redis + 0.5) / REDIS_KILLS) {
      await ownRedis.kill();
      problems.push(...(await checkCopy(dir, keys)));
      await ownRedis.restart();
      kills.redis += 1;
    } else {
      const at = Math.floor(Math.random() * REPLICAS);
      await replicas.kill(at);
      starting.push(replicas.start(at));
      kills.replicas += 1;
    }
  }
  await Promise.all(starting);
  return { kills, problems };
}

test(
  'keeps every acknowledged task and result, and ends every task, while processes are killed by SIGKILL',
  async () => {
    const client = createClient(replicas.ports);
    const load = startLoad(client, await createAgents(client));
    const { kills, problems } = await killAtRandom();
    console.info(`Killed ${JSON.stringify(kills)}`);
    await replicas.untilReady();
    await verifyLoad(client, load, redis, keys);
    expect(kills.redis).toBeGreaterThan(0);
    expect(problems).toEqual([]);
  },
  SECONDS * 1_000 + 600_000,
);
