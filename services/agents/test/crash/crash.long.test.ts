import { setTimeout as sleep } from 'node:timers/promises';
import { until } from '@agent-fleet/shared/testing/until';
import { expect, test } from '@jest/globals';
import { checkDatabase } from '../database/check-database.ts';
import { checkCopy, readDataDir } from '../database/redis-copy.ts';
import { startReplicas } from '../support/replicas.ts';
import { createAgents, createClient, startLoad } from './load.ts';

const SECONDS = Number(process.env.CRASH_SECONDS ?? 20);
const REPLICAS = 3;
const REDIS_KILLS = 5;
/** Three expired leases of 5 s, on a busy machine. */
const ENDED_WITHIN_MS = 180_000;

const replicas = await startReplicas(Array(REPLICAS).fill(0));
const { redis, ownRedis, keys } = replicas;

async function countUnended(): Promise<number> {
  const statuses = ['pending', 'running'];
  return (await Promise.all(statuses.map((status) => redis.zcard(keys.tasks({ status }))))).reduce((a, b) => a + b);
}

/** Kills and restarts replicas and Redis at random; returns the number of each, and what a kill has left wrong. */
async function killAtRandom() {
  // A copy of the append-only file must not meet its rewriting.
  await redis.config('SET', 'auto-aof-rewrite-percentage', 0);
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
      starting.push(
        checkCopy(dir, keys).then((found) => void problems.push(...found)),
        replicas.start(at),
      );
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
    await load.stopCreating();
    await until(async () => (await countUnended()) === 0, { timeoutMs: ENDED_WITHIN_MS, pollMs: 500 });
    await load.stopWorking();
    const { created, ended } = load.acknowledged;
    expect(await redis.exists(...[...created.keys()].map(keys.task))).toBe(created.size);
    const stored = await redis.mget(...[...ended.keys()].map(keys.task));
    // Others may continue it since: the check of the database compares them.
    const withoutThose = ({ continued_by: _, ...task }: { continued_by?: unknown }) => task;
    const found = stored.map((json) => withoutThose(JSON.parse(json as string)));
    expect(found).toEqual([...ended.values()].map((task) => withoutThose(task as object)));
    expect(await checkDatabase(redis, keys)).toEqual([]);
    expect(kills.redis).toBeGreaterThan(0);
    expect(problems).toEqual([]);
  },
  SECONDS * 1_000 + 600_000,
);
