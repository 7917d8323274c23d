import { setTimeout as sleep } from 'node:timers/promises';
import { startTestRedis, type TestRedis } from '@agent-fleet/scripts/local/test-redis';
import { until } from '@agent-fleet/shared/testing/until';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { Redis } from 'ioredis';
import { createKeys, type Keys } from '../../src/keys.ts';
import { countByStatus, describeUnended, findHistoryProblems, isEnded, readAll, readTotals } from './checks.ts';
import { type Client, createClient } from './client.ts';
import { startLoad, type Task } from './load.ts';
import { createReplicaProcess, type ReplicaProcess, untilAllReady } from './replica-process.ts';

const SECONDS = Number(process.env.CRASH_SECONDS ?? 60);
const REPLICAS = 3;
const REDIS_KILLS = 5;
const AGENTS = 8;
/** Three expired leases of 5 s, and the interval of the sweep. */
const ENDED_WITHIN_MS = 180_000;
const QUIET_WITHIN_MS = 120_000;
const TIMEOUT_MS = SECONDS * 1_000 + 600_000;

let redis: TestRedis;
let replicas: ReplicaProcess[];
let client: Client;
beforeAll(async () => {
  redis = await startTestRedis();
  replicas = await Promise.all(Array.from({ length: REPLICAS }, () => createReplicaProcess({ REDIS_URL: redis.url })));
  await Promise.all(replicas.map(({ start }) => start()));
  client = createClient(replicas.map(({ url }) => url));
});
afterAll(async () => {
  await Promise.all(replicas.map(({ kill }) => kill()));
  await redis.close();
});

async function createAgents(): Promise<string[]> {
  const ids: string[] = [];
  for (let at = 0; at < AGENTS; at++) {
    const body = { name: `agent ${at}`, type: ['claude', 'gpt', 'gemini'][at % 3] };
    ids.push((await client.ask<{ id: string }>({ method: 'POST', path: '/agents', body, key: `agent-${at}` })).body.id);
  }
  return ids;
}

/** Kills and restarts replicas and Redis at random; returns how many of each. */
async function killAtRandom(): Promise<{ replicas: number; redis: number }> {
  const kills = { replicas: 0, redis: 0 };
  const start = Date.now();
  const starting: Promise<void>[] = [];
  for (let share = 0; share < 1; share = (Date.now() - start) / (SECONDS * 1_000)) {
    await sleep(1_000 + Math.random() * 2_000);
    if (share >= (kills.redis + 0.5) / REDIS_KILLS) {
      await redis.kill();
      await sleep(Math.random() * 500);
      await redis.restart();
      kills.redis += 1;
    } else {
      const replica = replicas[Math.floor(Math.random() * REPLICAS)] as ReplicaProcess;
      await replica.kill();
      starting.push(replica.start());
      kills.replicas += 1;
    }
  }
  await Promise.all(starting);
  return kills;
}

async function untilZero(what: string, timeoutMs: number, count: () => Promise<number>): Promise<void> {
  const message = async () => `${what}: ${JSON.stringify(await withRedis(describeUnended).catch(String), null, 1)}`;
  await until(count, { timeoutMs, pollMs: 500, holds: (found) => found === 0, message });
}

async function countUnended(): Promise<number> {
  const [pending = 0, running = 0] = await readTotals(client, '/tasks?');
  return pending + running;
}

test(
  'keeps every acknowledged task and result, and ends every task, while processes are killed by SIGKILL',
  async () => {
    const agentIds = await createAgents();
    const load = startLoad(client, agentIds);
    const kills = await killAtRandom();
    await untilAllReady(replicas);
    await load.stopCreating();
    const stopped = Date.now();
    await untilZero('all tasks have ended', ENDED_WITHIN_MS, countUnended);
    const drained = Math.round((Date.now() - stopped) / 1_000);
    await load.stopWorking();

    const { created, ended, attempts } = load.acknowledged;
    const tasks = (await Promise.all(agentIds.map((id) => readAll(client, `/agents/${id}/tasks?`)))).flat();
    const found = new Map(tasks.map((task) => [task.id, task]));
    console.info(
      `${kills.replicas} replicas and ${kills.redis} Redis servers killed in ${SECONDS} s; ${created.size} tasks acknowledged, ` +
        `${ended.size} ends, ${attempts.length} failed attempts; all ended ${drained} s later: ${countByStatus(tasks)}`,
    );
    expect(kills.redis).toBeGreaterThan(0);

    expect([...created.keys()].filter((id) => !found.has(id))).toEqual([]);
    expect(tasks.map(({ message }) => message).filter((message, at, all) => all.indexOf(message) !== at)).toEqual([]);
    expect(tasks.filter((task) => !isEnded(task) || task.attempt > task.max_attempts)).toEqual([]);
    for (const [id, task] of ended) expect(found.get(id)).toEqual(task);
    for (const { task, number, worker } of attempts) {
      const path = `/agents/${task.agent_id}/tasks/${task.id}/attempts`;
      const { body } = await client.ask({ method: 'GET', path });
      expect(body).toContainEqual(expect.objectContaining({ number, worker_id: worker, outcome: 'failed' }));
    }
    await checkIndexes(agentIds, tasks);
  },
  TIMEOUT_MS,
);

async function withRedis<Result>(use: (direct: Redis, keys: Keys) => Promise<Result>): Promise<Result> {
  const direct = new Redis(redis.url);
  try {
    return await use(direct, createKeys('fleet'));
  } finally {
    direct.disconnect();
  }
}

const checkIndexes = (agentIds: string[], tasks: Task[]) =>
  withRedis(async (direct, keys) => {
    await untilZero('the outbox is empty', QUIET_WITHIN_MS, () => direct.zcard(keys.outbox));
    expect((await client.ask({ method: 'POST', path: '/leases', body: { worker_id: 'last' } })).status).toBe(204);
    expect(await readTotals(client, '/tasks?')).toEqual(countByStatus(tasks));
    for (const type of ['claude', 'gpt', 'gemini']) {
      const agents = (await client.ask({ method: 'GET', path: `/agents?type=${type}` })).body as { id: string }[];
      const ids = agents.map(({ id }) => id);
      const ofType = tasks.filter(({ agent_id }) => ids.includes(agent_id));
      expect(await readTotals(client, `/tasks?type=${type}&`)).toEqual(countByStatus(ofType));
    }
    for (const id of agentIds) {
      const ofAgent = tasks.filter(({ agent_id }) => agent_id === id);
      expect(await readTotals(client, `/agents/${id}/tasks?`)).toEqual(countByStatus(ofAgent));
      const queue = `${keys.queuePrefix(id)}:queue`;
      expect([await direct.llen(`${queue}:active`), await direct.zcard(`${queue}:prioritized`)]).toEqual([0, 0]);
      expect((await client.ask<{ status: string }>({ method: 'GET', path: `/agents/${id}` })).body.status).toMatch(
        /^(idle|error|offline)$/,
      );
    }
    expect(await direct.hlen(keys.taskIndexEntries)).toBe(tasks.length);
    expect(await direct.zcard(keys.timers)).toBe(tasks.length);
    expect(await findHistoryProblems(direct, keys)).toEqual([]);
  });
