import { startTestCluster } from '@agent-fleet/scripts/testing/test-cluster';
import { startTestRedis, type TestRedis } from '@agent-fleet/scripts/testing/test-redis';
import { createLogger } from '@agent-fleet/shared/logger';
import { connectRedis, type RedisClient, waitForRedis } from '@agent-fleet/shared/redis/connection';
import { until } from '@agent-fleet/shared/testing/until';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { LockLost, withLock } from '../../src/migrations/lock.ts';
import { migrate } from '../../src/migrations/migrate.ts';
import { createKeys } from '../../src/redis/keys.ts';
import { checkDatabase } from '../database/check-database.ts';
import { startService } from '../support/start-service.ts';
import { startLimitedProxy } from './limited-proxy.ts';
import { startReplica } from './replica.ts';
import {
  crashedRequests,
  expectAsServed,
  expectOrder,
  expectReplays,
  finishHeldLeases,
  repeat,
  request,
} from './served.ts';
import { loadVersion1, version1 } from './version-1.ts';

const HALF_HOUR_MS = 1_800_000;
/** After this time a request in flight counts as crashed. */
const IN_FLIGHT_MS = 10_000;
/** What each replica may send more than the one before; a whole migration sends 250 KB. */
const BYTES = 35_000;
const quiet = createLogger('test', 'silent');
let server: TestRedis;
let redis: RedisClient;
beforeAll(async () => {
  server = await startTestRedis();
  redis = await connect(server.url);
});
afterAll(async () => {
  redis.disconnect();
  await server.close();
});

async function connect(url: string): Promise<RedisClient> {
  const client = connectRedis(url, quiet);
  await waitForRedis(client, 60_000);
  return client;
}

const findOldKeys = async (prefix: string) =>
  (await redis.keys(`${prefix}:*`)).filter((key) => !key.startsWith(`${prefix}:{default}:`));

/** The content of every key. */
async function dump(prefix: string): Promise<[string, Buffer | null][]> {
  const keys = (await redis.keys(`${prefix}:*`)).toSorted();
  return Promise.all(keys.map(async (key) => [key, await redis.dumpBuffer(key)] as [string, Buffer | null]));
}

/**
 * Starts replicas, and ends each by SIGKILL when it has sent so many bytes to Redis, each somewhat later than the one
 * before, until the migration is complete. Returns what `count` found after each kill.
 */
async function migrateUnderKills(
  prefix: string,
  bytes: number,
  count: (prefix: string) => Promise<number>,
): Promise<number[]> {
  const left: number[] = [];
  while ((await redis.get(`${prefix}:{default}:layout`)) !== '4') {
    await using proxy = await startLimitedProxy(server.url, bytes * (left.length + Math.random()));
    await using replica = await startReplica(proxy.url, prefix);
    await Promise.race([proxy.reached, replica.ready()]);
    await replica.kill();
    left.push(await count(prefix));
    // As if the lock had expired.
    await redis.del(`${prefix}:{default}:migrating`);
  }
  return left;
}

test('serves the data of version 1.0 after a migration that SIGKILL ended again and again', async () => {
  const shiftMs = await loadVersion1(redis, 'killed');
  const left = await migrateUnderKills('killed', BYTES, async (prefix) => (await findOldKeys(prefix)).length);
  console.info(`1.0's keys left after each kill: ${left.join(' ')}`);
  expect(new Set(left).size).toBeGreaterThan(3);
  await using replica = await startReplica(server.url, 'killed');
  await replica.ready();
  expect(await findOldKeys('killed')).toEqual([]);
  await expectAsServed(replica.url, shiftMs);
  await expectOrder(replica.url);
  await expectReplays(replica.url, shiftMs);
  await finishHeldLeases(replica.url);
}, 300_000);

test('indexes the tasks of layout 1 by worker, also when SIGKILL ended it again and again', async () => {
  const keys = createKeys('layout-1');
  await using service = await startService({ redisUrl: server.url, prefix: 'layout-1' });
  const workers = ['w', 'ü %:status:running', '😀'.repeat(100)];
  const agents = [await service.createAgent(), await service.createAgent()];
  for (const agent of agents) await service.createTasks(agent, 400, { max_attempts: 1 });
  for (let at = 0; at < 36; at++) {
    const { leases } = (await service.lease(agents[at % 2] as string, { worker_id: workers[at % 3], max_tasks: 20 }))
      .body;
    for (const lease of leases.slice(at % 5)) await service.report(lease, { status: at % 2 ? 'completed' : 'failed' });
    if (at % 4 === 0) await service.release(leases[0]).expect((response) => [204, 409].includes(response.status));
  }
  await service.close();
  const indexes = async () => (await redis.keys(`${keys.tasks()}:worker:*`)) as string[];
  await redis.unlink(...(await indexes()));
  await redis.set(keys.layout, 1);
  const countIndexed = async () => {
    const counts = await Promise.all(workers.map((worker) => redis.zcard(keys.tasks({ worker }))));
    return counts.reduce((sum, count) => sum + count);
  };
  const found = await migrateUnderKills('layout-1', 30_000, countIndexed);
  console.info(`tasks indexed after each kill: ${found.join(' ')}`);
  expect(new Set(found).size).toBeGreaterThan(3);
  expect(await checkDatabase(redis, keys)).toEqual([]);
}, 300_000);

test('adds fields to the tasks of layout 2, also when SIGKILL ended it again and again', async () => {
  const keys = createKeys('layout-2');
  await using service = await startService({ redisUrl: server.url, prefix: 'layout-2' });
  const agent = await service.createAgent();
  for (let batch = 0; batch < 2; batch++) await service.createTasks(agent, 400, { message: 'ü "}', tags: ['a'] });
  const [lease] = (await service.lease(agent)).body.leases;
  await service.report(lease, { status: 'failed' }).expect(200);
  const read = async (path: string) => (await service.http.get(path).expect(200)).body;
  const pathOf = `/agents/${agent}/tasks`;
  const served = await read(`${pathOf}?limit=1000`);
  const attempts = await read(`${pathOf}/${lease.task.id}/attempts`);
  const records = await redis.keys(keys.task('*'));
  for (const key of records) await redis.set(key, withoutAddedFields((await redis.get(key)) as string));
  const [attempt] = await redis.lrange(keys.attempts(lease.task.id), 0, -1);
  const { usage: _usage, cost: _cost, model: _model, ...older } = JSON.parse(attempt as string);
  await redis.lset(keys.attempts(lease.task.id), 0, JSON.stringify(older));
  await redis.set(keys.layout, 2);
  const countAdded = async () =>
    (await redis.mget(records))
      .map((json) => JSON.parse(json as string))
      .reduce((count, record) => count + Number('skills' in record) + Number('traceparent' in record), 0);
  expect(await countAdded()).toBe(0);
  const added = await migrateUnderKills('layout-2', 15_000, countAdded);
  console.info(`added by both migrations after each kill: ${added.join(' ')}`);
  expect(new Set(added).size).toBeGreaterThan(4);
  expect(await read(`${pathOf}?limit=1000`)).toEqual(served);
  expect(await read(`${pathOf}/${lease.task.id}/attempts`)).toEqual(attempts);
  expect(await checkDatabase(redis, keys)).toEqual([]);
}, 300_000);

/** A record as of layout 2. */
function withoutAddedFields(json: string): string {
  const { skills, workspace, model, output_schema, max_cost, continue_of, usage, cost, traceparent, ...older } =
    JSON.parse(json);
  const added = [skills, workspace, model, output_schema, max_cost, continue_of, usage, cost, traceparent];
  expect(added).toEqual(Array(9).fill(null));
  return JSON.stringify(older);
}

test('creates nothing twice when a request that version 1.0 had in progress is repeated', async () => {
  await using service = await startMigrated('in-progress', IN_FLIGHT_MS);
  const readTotals = () =>
    Promise.all([service.total('/agents'), service.total('/tasks'), service.redis.get(service.keys.event)]);
  const before = await readTotals();
  for (const kept of crashedRequests) {
    const { status, text } = await repeat(service.url, kept);
    expect([kept.what, status]).toEqual([kept.what, 201]);
    expect(await readTotals()).toEqual(before);
    expect((await repeat(service.url, kept)).text).toBe(text);
  }
});

test('handles what became due while no replica ran', async () => {
  await using service = await startMigrated('due', HALF_HOUR_MS);
  const { agents } = version1;
  const read = async (path: string) => (await service.http.get(path).expect(200)).body;
  // The three leases had been held for 15 minutes.
  await until(() => service.total(`/agents/${agents.active}/tasks?status=running`), { holds: (count) => count === 0 });
  for (const { what, id, token, agent, task } of version1.heldLeases) {
    const { status } = await request(service.url, 'PUT', `/leases/${id}/result`, { token, status: 'completed' });
    expect([what, status]).toEqual([what, 409]);
    const path = `/agents/${agent}/tasks/${task}`;
    expect((await read(path)).status).toBe(what === 'cancel requested' ? 'cancelled' : 'pending');
    expect((await read(`${path}/attempts`)).at(-1).outcome).toBe('lease_expired');
  }
  const [expired] = await read('/tasks?tag=expires');
  expect(expired).toMatchObject({ status: 'failed', error: { code: 'expired' } });
  const [scheduled] = await read('/tasks?tag=later');
  const { leases } = (await service.lease(agents.pending as string, { max_tasks: 20 })).body;
  expect(leases.map((lease: { task: { id: string } }) => lease.task.id)).toContain(scheduled.id);
  expect((await service.lease(agents.retry as string, { max_tasks: 2 })).body.leases).toHaveLength(2);
});

/** Migrates the data as of `ageMs` ago, and serves it. */
async function startMigrated(prefix: string, ageMs: number) {
  await loadVersion1(redis, prefix, ageMs);
  return startService({ redisUrl: server.url, prefix });
}

test('migrates on a Redis Cluster', async () => {
  const cluster = await startTestCluster({ masters: 3 });
  try {
    const client = await connect(cluster.url);
    const shiftMs = await loadVersion1(client, 'cluster');
    client.disconnect();
    await using service = await startService({ redisUrl: cluster.url, prefix: 'cluster' });
    await expectAsServed(service.url, shiftMs);
  } finally {
    await cluster.close();
  }
});

test('derives the whole new layout from the records of version 1.0', async () => {
  await loadVersion1(redis, 'derived');
  await migrate(redis, 'derived', quiet);
  expect(await checkDatabase(redis, createKeys('derived'))).toEqual([]);
});

test('repeats a step whose source was not deleted', async () => {
  await loadVersion1(redis, 'repeated');
  const attempts = async () => Promise.all((await redis.keys('repeated:*attempts:*')).map((key) => redis.llen(key)));
  const before = (await attempts()).toSorted();
  // Each run ends at a later deletion than the one before.
  for (let deletions = 0; (await redis.exists('repeated:{default}:layout')) === 0; deletions += 10) {
    let left = deletions;
    const unlink = async (...keys: string[]) =>
      left-- > 0 ? redis.unlink(...keys) : Promise.reject(new Error('crashed'));
    const crashing = new Proxy(redis, {
      get: (client, name) => (name === 'unlink' ? unlink : Reflect.get(client, name)),
    });
    await migrate(crashing, 'repeated', quiet).catch(({ message }: Error) => expect(message).toBe('crashed'));
  }
  expect((await attempts()).toSorted()).toEqual(before);
  expect(await checkDatabase(redis, createKeys('repeated'))).toEqual([]);
});

test('changes nothing when the data has the present layout', async () => {
  await loadVersion1(redis, 'again');
  await migrate(redis, 'again', quiet);
  const before = await dump('again');
  await migrate(redis, 'again', quiet);
  expect(await dump('again')).toEqual(before);
});

test('migrates once when several replicas start, and after a crash once the lock has expired', async () => {
  await loadVersion1(redis, 'several');
  const lock = 'several:{default}:migrating';
  await redis.set(lock, 'of a replica that crashed', 'PX', 1_000);
  const clients = await Promise.all([connect(server.url), connect(server.url), connect(server.url)]);
  const lines: unknown[] = [];
  const logger = createLogger('test', 'silent');
  logger.info = (...line: unknown[]) => void lines.push(line);
  await Promise.all(clients.map((client) => migrate(client, 'several', logger)));
  expect(lines).toHaveLength(4);
  expect(await redis.exists(lock)).toBe(0);
  expect(await findOldKeys('several')).toEqual([]);
  for (const client of clients) client.disconnect();
});

test('a replica whose lock has expired writes nothing any more', async () => {
  const [lock, key] = ['paused:{default}:migrating', 'paused:{default}:x'];
  const migrating = withLock(redis, lock, 60_000, async (write) => {
    await write([['SET', key, 'before']]);
    await redis.set(lock, 'of another replica');
    await write([['SET', key, 'after']]);
  });
  await expect(migrating).rejects.toThrow(LockLost);
  expect(await redis.mget(lock, key)).toEqual(['of another replica', 'before']);
});

test('refuses to start on a layout that is newer than the program', async () => {
  await redis.set('newer:{default}:layout', 5);
  await using replica = await startReplica(server.url, 'newer');
  expect((await replica.exited).code).toBe(1);
  const lines = replica.printed().trim().split('\n');
  expect(lines).toEqual([
    expect.stringMatching(
      /^The data in Redis has layout 5 \(newer:\{default}:layout\), and this version knows layouts up to 4: start the version that wrote it/,
    ),
  ]);
});
