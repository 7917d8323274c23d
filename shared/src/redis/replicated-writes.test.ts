import { setTimeout as sleep } from 'node:timers/promises';
import { own } from '@agent-fleet/scripts/testing/own';
import { startTestRedis, withConnections } from '@agent-fleet/scripts/testing/test-redis';
import { expect, test } from '@jest/globals';
import { Redis } from 'ioredis';
import { createLogger } from '../logger.ts';
import { processIdOf } from '../testing/redis.ts';
import { until } from '../testing/until.ts';
import { connectRedis, waitForRedis } from './connection.ts';
import { redisErrorCause } from './errors.ts';
import { ReplicatedWrites } from './replicated-writes.ts';

const REPLICAS = 2;
const KEY = '{one}:text';
const quiet = createLogger('test', 'silent');
const [master, ...replicas] = await Promise.all([startReplicated(), startReplicated(), startReplicated()]);
await withConnections(replicas, async (connections) => {
  for (const replica of connections) await replica.replicaof('127.0.0.1', master.port);
});
const client = connectRedis(master.url, quiet);
own(() => client.disconnect());
const writes = new ReplicatedWrites(client, { minReplicas: REPLICAS, barrierKey: '{one}:replicated' });
/** Without waiting for replicas. */
const other = new Redis(master.url);
own(() => other.disconnect());
await waitForRedis(client, 60_000);
await untilLinked();

async function startReplicated() {
  const server = await startTestRedis({ password: 'x'.repeat(32), args: ['--repl-diskless-sync-delay', '0'] });
  own(server.close);
  return server;
}

async function untilLinked(): Promise<void> {
  await other.set('linked', 'x');
  await until(async () => Number(await other.wait(REPLICAS, 100)) === REPLICAS);
}

/** Runs `body` while a replica is stopped. */
async function withoutReplica(body: (resume: () => void) => Promise<void>): Promise<void> {
  let pid = 0;
  await withConnections(replicas.slice(1), async ([replica]) => {
    pid = await processIdOf(replica as Redis);
  });
  process.kill(pid, 'SIGSTOP');
  try {
    await body(() => process.kill(pid, 'SIGCONT'));
  } finally {
    process.kill(pid, 'SIGCONT');
    await untilLinked();
  }
}

async function causeOf(reply: Promise<unknown>): Promise<unknown> {
  return reply.then(
    () => 'none',
    (error: unknown) => redisErrorCause(error) ?? error,
  );
}

async function countWaits(body: () => Promise<unknown>): Promise<number> {
  await other.config('RESETSTAT');
  await body();
  return Number(/cmdstat_wait:calls=(\d+)/.exec(await other.info('commandstats'))?.[1] ?? 0);
}

const set = (value: string) => writes.run((redis) => redis.set(KEY, value));
const setByScript = () => writes.run((redis) => redis.eval("return redis.call('SET', KEYS[1], 'x')", 1, KEY));
const setInTransaction = () => writes.run((redis) => redis.multi().set(KEY, 'x').exec());

test('a write resolves when the replicas have it', async () => {
  await withoutReplica(async (resume) => {
    let isResolved = false;
    const write = set('resumed').then(() => {
      isResolved = true;
    });
    await until(async () => (await other.get(KEY)) === 'resumed');
    // The other replica has it.
    await other.set('acknowledged', 'x');
    await until(async () => (await other.wait(1, 100)) === 1);
    expect(isResolved).toBe(false);
    resume();
    await write;
    await withConnections(replicas, async (connections) => {
      for (const replica of connections) expect(await replica.get(KEY)).toBe('resumed');
    });
  });
});

test('writes fail in a second while too few replicas have them', async () => {
  await withoutReplica(async () => {
    const begin = performance.now();
    const causes = Promise.all([set('lost'), setByScript(), setInTransaction()].map(causeOf));
    expect(await causes).toEqual(['not_replicated', 'not_replicated', 'not_replicated']);
    expect(performance.now() - begin).toBeLessThan(2_000);
  });
  expect(await set('again')).toBe('OK');
});

test('a script that changes nothing waits for what it has found', async () => {
  await other.set(KEY, 'before');
  await withoutReplica(async () => {
    await other.set(KEY, 'new');
    expect(await causeOf(writes.run((redis) => redis.eval("return redis.call('GET', KEYS[1])", 1, KEY)))).toBe(
      'not_replicated',
    );
  });
});

test('writes of one turn of the event loop share a WAIT', async () => {
  expect(await countWaits(() => Promise.all(Array.from({ length: 50 }, (_, at) => set(`${at}`))))).toBe(1);
});

test('while replicas are lost, no queue of WAITs grows', async () => {
  await withoutReplica(async () => {
    const causes: Promise<unknown>[] = [];
    const waits = await countWaits(async () => {
      for (let at = 0; at < 50; at++) {
        causes.push(causeOf(set(`${at}`)));
        await sleep(5);
      }
      await Promise.all(causes);
    });
    // Otherwise each turn of the event loop has one of a second, and writes time out after five.
    expect(new Set(await Promise.all(causes))).toEqual(new Set(['not_replicated']));
    expect(waits).toBeLessThan(6);
  });
});

test('writes fail with their connection, whether or not their WAIT is sent', async () => {
  await withoutReplica(async () => {
    const first = causeOf(set('first'));
    await sleep(100);
    const second = causeOf(set('second'));
    (client as Redis).stream.destroy();
    expect(await Promise.all([first, second])).toEqual(['away', 'away']);
  });
  await waitForRedis(client, 60_000);
  expect(await set('again')).toBe('OK');
});

test('a master that has too few replicas is unavailable for writes', async () => {
  await other.config('SET', 'min-replicas-to-write', REPLICAS + 1);
  try {
    const causes = await Promise.all([set('y'), setByScript(), setInTransaction()].map(causeOf));
    expect(causes).toEqual(['no_replicas', 'no_replicas', 'no_replicas']);
  } finally {
    await other.config('SET', 'min-replicas-to-write', 0);
  }
});

test('without a minimum of replicas, a write waits for none', async () => {
  const plain = new ReplicatedWrites(client);
  await withoutReplica(async () => expect(await countWaits(() => plain.run((redis) => redis.set(KEY, 'z')))).toBe(0));
});
