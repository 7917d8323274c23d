import { setTimeout as sleep } from 'node:timers/promises';
import { startTestRedis, type TestRedis } from '@agent-fleet/scripts/local/test-redis';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { Redis } from 'ioredis';
import { createKeys, type Keys } from '../../src/keys.ts';
import { countByStatus, describeUnended, findStoryProblems, isEnded, readAll, readTotals } from './checks.ts';
import { type Client, createClient } from './client.ts';
import { startLoad, type Task } from './load.ts';
import { createReplica, type Replica, untilAllReady } from './processes.ts';

const SECONDS = Number(process.env.CRASH_SECONDS ?? 60);
const REPLICAS = 3;
const REDIS_KILLS = 5;
const AGENTS = 8;
/** Three leases of 5 s that nobody answers for, and the sweep's pace. */
const ENDED_WITHIN_MS = 180_000;
const QUIET_WITHIN_MS = 120_000;
const TIMEOUT_MS = SECONDS * 1_000 + 600_000;

let redis: TestRedis;
let replicas: Replica[];
let client: Client;
beforeAll(async () => {
  redis = await startTestRedis();
  replicas = await Promise.all(Array.from({ length: REPLICAS }, () => createReplica({ REDIS_URL: redis.url })));
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

/** Kills one after the other, each at a random moment, and starts it again; gives how many replicas and how many Redis servers. */
async function killAtRandom(): Promise<{ replicas: number; redis: number }> {
  const kills = { replicas: 0, redis: 0 };
  const begun = Date.now();
  const starting: Promise<void>[] = [];
  for (let share = 0; share < 1; share = (Date.now() - begun) / (SECONDS * 1_000)) {
    await sleep(1_000 + Math.random() * 2_000);
    if (share >= (kills.redis + 0.5) / REDIS_KILLS) {
      await redis.kill();
      await sleep(Math.random() * 500);
      await redis.restart();
      kills.redis += 1;
    } else {
      const replica = replicas[Math.floor(Math.random() * REPLICAS)] as Replica;
      await replica.kill();
      starting.push(replica.start());
      kills.replicas += 1;
    }
  }
  await Promise.all(starting);
  return kills;
}

async function until(what: string, withinMs: number, check: () => Promise<unknown>): Promise<void> {
  for (const limit = Date.now() + withinMs; ; await sleep(500)) {
    const found = await check();
    if (!found) return;
    if (Date.now() <= limit) continue;
    const left = await withRedis(describeUnended).catch(String);
    throw new Error(`${what} within ${withinMs / 1_000} s: ${JSON.stringify({ found, left }, null, 1)}`);
  }
}

async function countUnended(): Promise<number> {
  const [pending = 0, running = 0] = await readTotals(client, '/tasks?');
  return pending + running;
}

const byId = (tasks: readonly Task[]) => new Map(tasks.map((task) => [task.id, task]));

test(
  'nothing that was answered is lost, nothing runs for ever, nothing that has ended changes, whatever is killed with -9',
  async () => {
    const agentIds = await createAgents();
    const load = startLoad(client, agentIds);
    const kills = await killAtRandom();
    await untilAllReady(replicas);
    await load.stopCreating();
    const stopped = Date.now();
    await until('All tasks end', ENDED_WITHIN_MS, countUnended);
    const drained = Math.round((Date.now() - stopped) / 1_000);
    await load.stopWorking();

    const { created, ended, attempts } = load.acknowledged;
    const tasks = (await Promise.all(agentIds.map((id) => readAll(client, `/agents/${id}/tasks?`)))).flat();
    const found = byId(tasks);
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
    await until('The outbox is empty', QUIET_WITHIN_MS, () => direct.zcard(keys.outbox));
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
    expect(await findStoryProblems(direct, keys)).toEqual([]);
  });
