import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Child, startChild } from '@agent-fleet/scripts/local/child-process';
import { freePorts } from '@agent-fleet/scripts/local/ports';
import { startTestRedis, type TestRedis } from '@agent-fleet/scripts/testing/test-redis';
import { until } from '@agent-fleet/shared/testing/until';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { Redis } from 'ioredis';
import { toFields } from '../../src/events/stream-entry.ts';
import { createKeys } from '../../src/keys.ts';
import { TASK_STATUSES, type Task } from '../../src/tasks/task.ts';
import { isEnded } from '../../src/tasks/task-rules.ts';
import { send } from '../support/send.ts';
import { type Client, createClient, startLoad } from './load.ts';

const MAIN = join(import.meta.dirname, '../../src/main.ts');
const SECONDS = Number(process.env.CRASH_SECONDS ?? 60);
const REPLICAS = ['a', 'b', 'c'];
const REDIS_KILLS = 5;
const AGENTS = 8;
const READY_WITHIN_MS = 90_000;
/** Three expired leases of 5 s, and the interval of the sweep. */
const ENDED_WITHIN_MS = 180_000;
const QUIET_WITHIN_MS = 120_000;
const PAGE = 1_000;

const NEXT: Record<string, readonly string[]> = {
  '': ['pending'],
  pending: ['pending', 'running', 'cancelled', 'failed'],
  running: ['running', 'pending', 'completed', 'failed', 'cancelled'],
};

const keys = createKeys('fleet');
let redis: TestRedis;
let direct: Redis;
let client: Client;
const replicas = new Map<number, Child>();

beforeAll(async () => {
  redis = await startTestRedis();
  direct = new Redis(redis.url);
  const ports = Object.values(await freePorts(REPLICAS));
  await Promise.all(ports.map(start));
  client = createClient(ports);
});
afterAll(async () => {
  direct.disconnect();
  await Promise.all([...replicas.values()].map((child) => child.kill()));
  await redis.close();
});

/** Resolves when the replica is ready, or has exited. */
async function start(port: number): Promise<void> {
  const env = { ...process.env, HOST: '127.0.0.1', PORT: String(port), LOG_LEVEL: 'fatal', REDIS_URL: redis.url };
  const child = startChild(process.execPath, ['--max-semi-space-size=4', MAIN], { env, output: 'inherit' });
  replicas.set(port, child);
  await until(async () => !child.isRunning() || (await isReady(port)), { timeoutMs: READY_WITHIN_MS, pollMs: 50 });
}

const isReady = async (port: number) => (await send(port, { method: 'GET', path: '/ready' })).status === 200;

async function createAgents(): Promise<string[]> {
  const ids: string[] = [];
  for (let at = 0; at < AGENTS; at++) {
    const body = { name: `agent ${at}`, type: ['claude', 'gpt', 'gemini'][at % 3] };
    const headers = { 'idempotency-key': `agent-${at}` };
    ids.push((await client.call<Task>({ method: 'POST', path: '/agents', body, headers }, 201)).body.id);
  }
  return ids;
}

/** Kills and restarts replicas and Redis at random; returns the number of each. */
async function killAtRandom(): Promise<{ replicas: number; redis: number }> {
  const kills = { replicas: 0, redis: 0 };
  const begin = Date.now();
  const starting: Promise<void>[] = [];
  for (let share = 0; share < 1; share = (Date.now() - begin) / (SECONDS * 1_000)) {
    await sleep(1_000 + Math.random() * 2_000);
    if (share >= (kills.redis + 0.5) / REDIS_KILLS) {
      await redis.kill();
      await sleep(Math.random() * 500);
      await redis.restart();
      kills.redis += 1;
    } else {
      const [port, child] = [...replicas][Math.floor(Math.random() * replicas.size)] as [number, Child];
      await child.kill();
      starting.push(start(port));
      kills.replicas += 1;
    }
  }
  await Promise.all(starting);
  return kills;
}

const untilZero = (message: string, timeoutMs: number, count: () => Promise<number>) =>
  until(count, { timeoutMs, pollMs: 500, holds: (found) => found === 0, message });

async function readAll(path: string): Promise<Task[]> {
  const tasks: Task[] = [];
  for (;;) {
    const page = { method: 'GET', path: `${path}?skip=${tasks.length}&limit=${PAGE}` };
    const { body, total = 0 } = await client.call<Task[]>(page);
    tasks.push(...body);
    if (body.length === 0 || tasks.length >= total) return tasks;
  }
}

/** Reads the total of a list for each status, in the order of `TASK_STATUSES`. */
async function readTotals(path: string): Promise<(number | undefined)[]> {
  const pages = TASK_STATUSES.map((status) => client.call({ method: 'GET', path: `${path}status=${status}&limit=1` }));
  return (await Promise.all(pages)).map(({ total }) => total);
}

function countByStatus(tasks: readonly Task[]): number[] {
  return TASK_STATUSES.map((status) => tasks.filter((task) => task.status === status).length);
}

async function countUnended(): Promise<number> {
  const [pending = 0, running = 0] = await readTotals('/tasks?');
  return pending + running;
}

test(
  'keeps every acknowledged task and result, and ends every task, while processes are killed by SIGKILL',
  async () => {
    const agentIds = await createAgents();
    const load = startLoad(client, agentIds);
    const kills = await killAtRandom();
    await until(async () => (await Promise.all([...replicas.keys()].map(isReady))).every(Boolean), {
      timeoutMs: READY_WITHIN_MS,
      message: 'all replicas are ready',
    });
    await load.stopCreating();
    await untilZero('all tasks have ended', ENDED_WITHIN_MS, countUnended);
    await load.stopWorking();

    const { created, ended, attempts } = load.acknowledged;
    const tasks = (await Promise.all(agentIds.map((id) => readAll(`/agents/${id}/tasks`)))).flat();
    const found = new Map(tasks.map((task) => [task.id, task]));
    console.info(`Killed ${JSON.stringify(kills)}; ${created.size} tasks, ${attempts.length} failed attempts`);
    expect(kills.redis).toBeGreaterThan(0);

    expect([...created.keys()].filter((id) => !found.has(id))).toEqual([]);
    expect(tasks.map(({ message }) => message).filter((message, at, all) => all.indexOf(message) !== at)).toEqual([]);
    expect(tasks.filter((task) => !isEnded(task) || task.attempt > task.max_attempts)).toEqual([]);
    for (const [id, task] of ended) expect(found.get(id)).toEqual(task);
    for (const { task, number, worker } of attempts) {
      const path = `/agents/${task.agent_id}/tasks/${task.id}/attempts`;
      const { body } = await client.call({ method: 'GET', path });
      expect(body).toContainEqual(expect.objectContaining({ number, worker_id: worker, outcome: 'failed' }));
    }
    await checkIndexes(agentIds, tasks);
    await checkEvents();
  },
  SECONDS * 1_000 + 600_000,
);

async function checkIndexes(agentIds: string[], tasks: Task[]): Promise<void> {
  await untilZero('the outbox is empty', QUIET_WITHIN_MS, () => direct.zcard(keys.outbox));
  await client.call({ method: 'POST', path: '/leases', body: { worker_id: 'last' } }, 204);
  expect(await readTotals('/tasks?')).toEqual(countByStatus(tasks));
  for (const type of ['claude', 'gpt', 'gemini']) {
    const { body } = await client.call<{ id: string }[]>({ method: 'GET', path: `/agents?type=${type}` });
    const ofType = tasks.filter(({ agent_id }) => body.some(({ id }) => id === agent_id));
    expect(await readTotals(`/tasks?type=${type}&`)).toEqual(countByStatus(ofType));
  }
  for (const id of agentIds) {
    const ofAgent = tasks.filter(({ agent_id }) => agent_id === id);
    expect(await readTotals(`/agents/${id}/tasks?`)).toEqual(countByStatus(ofAgent));
    const queue = `${keys.queuePrefix(id)}:queue`;
    expect([await direct.llen(`${queue}:active`), await direct.zcard(`${queue}:prioritized`)]).toEqual([0, 0]);
    const { body } = await client.call<Task>({ method: 'GET', path: `/agents/${id}` });
    expect(body.status).toMatch(/^(idle|error|offline)$/);
  }
  expect([await direct.hlen(keys.taskIndexEntries), await direct.zcard(keys.timers)]).toEqual(
    Array(2).fill(tasks.length),
  );
}

/** Checks that no event of an agent is missing or repeated, and that all transitions of each task are allowed. */
async function checkEvents(): Promise<void> {
  const numbers = new Map<string, number>();
  const statuses = new Map<string, string>();
  for (const [, fields] of await direct.xrange(keys.fleetEvents, '-', '+')) {
    const { a = '', n, t, s = '' } = toFields(fields);
    expect([a, Number(n)]).toEqual([a, (numbers.get(a) ?? 0) + 1]);
    numbers.set(a, Number(n));
    if (!t) continue;
    expect(NEXT[statuses.get(t) ?? '']).toContain(s);
    statuses.set(t, s);
  }
}
