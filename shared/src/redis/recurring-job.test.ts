import { createServer, type Server } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { own } from '@agent-fleet/scripts/testing/own';
import { expect, test } from '@jest/globals';
import { Redis } from 'ioredis';
import { createLogger } from '../logger.ts';
import { testRedisUrl, uniquePrefix } from '../testing/redis.ts';
import { until } from '../testing/until.ts';
import { connectQueueRedis } from './connection.ts';
import { RecurringJob, type RecurringJobOptions } from './recurring-job.ts';

const EVERY_MS = 100;
const logger = createLogger('test', 'silent');

function openJob(options: Partial<RecurringJobOptions> = {}) {
  const runs: { name: string; at: number }[] = [];
  let restarts = 0;
  const job = new RecurringJob({
    name: 'job',
    prefix: uniquePrefix('job'),
    everyMs: EVERY_MS,
    concurrency: 1,
    connect: () => connectQueueRedis(testRedisUrl(), logger),
    run: async (name) => runs.push({ name, at: performance.now() }),
    onRestart: () => restarts++,
    logger,
    ...options,
  });
  own(() => job.close());
  return { job, runs, restarts: () => restarts };
}

/** A server that accepts connections and never responds. */
async function openSilent(): Promise<{ port: number }> {
  const server: Server = createServer((socket) => {
    socket.on('error', () => {});
    own(() => socket.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  own(() => server.close());
  return server.address() as { port: number };
}

test('two replicas together run a job once in each interval, and a started job at once', async () => {
  const [prefix, everyMs, begin] = [uniquePrefix('job'), 300, performance.now()];
  const [one, other] = [openJob({ prefix, everyMs }), openJob({ prefix, everyMs })];
  const runs = () => [...one.runs, ...other.runs];
  await until(() => runs().length >= 7);
  // Replicas add a job at least nine tenths of an interval after the one before.
  expect(runs().length).toBeLessThanOrEqual((performance.now() - begin) / (0.9 * everyMs) + 1);
  await one.job.start('extra');
  await until(() => runs().some(({ name }) => name === 'extra'));
  expect([one.restarts(), other.restarts()]).toEqual([0, 0]);
});

test('goes on after the clock of Redis was set back, which makes what expires last longer', async () => {
  const prefix = uniquePrefix('job');
  const { runs } = openJob({ prefix });
  const redis = new Redis(testRedisUrl());
  own(() => redis.disconnect());
  const lengthen = async () => {
    const [key] = await redis.keys(`${prefix}:*:de:*`);
    return key !== undefined && (await redis.pexpire(key, 3_600_000)) === 1;
  };
  await until(lengthen);
  const before = runs.length;
  expect(await until(() => runs.length > before + 2)).toBe(true);
});

test('adds no further job while one runs longer than the interval', async () => {
  const prefix = uniquePrefix('job');
  const { promise: ends, resolve: end } = Promise.withResolvers<void>();
  const { job, restarts } = openJob({ prefix, run: () => ends });
  const redis = new Redis(testRedisUrl());
  own(() => redis.disconnect());
  const counts = () => Promise.all(['active', 'wait'].map((list) => redis.llen(`${prefix}:job:${list}`)));
  await until(counts, { holds: ([active, waiting]) => active === 1 && waiting === 1 });
  await sleep(5 * EVERY_MS);
  expect([await counts(), restarts(), job.isReady]).toEqual([[1, 1], 0, true]);
  end();
});

test('connects anew when the worker waits on a dead connection while jobs wait', async () => {
  const { port } = await openSilent();
  class HalfDead extends Redis {
    /** BullMQ's worker waits for jobs on a duplicate. */
    override duplicate(): Redis {
      return new Redis({ port, maxRetriesPerRequest: null }).on('error', () => {});
    }
  }
  const clients = [
    () => new HalfDead(testRedisUrl(), { maxRetriesPerRequest: null }),
    () => connectQueueRedis(testRedisUrl(), logger),
  ];
  let connects = 0;
  const connect = () => (clients[connects++] ?? clients[1])?.() as Redis;
  const { runs, restarts } = openJob({ connect, stuckMs: 3_000 });
  await until(() => runs.length > 2, { timeoutMs: 10_000 });
  expect([connects, restarts()]).toEqual([2, 1]);
});

test('connects anew when the connection has ended for good', async () => {
  const clients: Redis[] = [];
  const connect = () => {
    clients.push(new Redis(testRedisUrl(), { maxRetriesPerRequest: null }));
    return clients.at(-1) as Redis;
  };
  const { runs, restarts } = openJob({ connect, stuckMs: 3_000 });
  await until(() => runs.length > 0);
  clients[0]?.disconnect();
  const before = runs.length;
  await until(() => runs.length > before + 2, { timeoutMs: 10_000 });
  expect([clients.length, restarts()]).toEqual([2, 1]);
});
