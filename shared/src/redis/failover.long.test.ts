import { setTimeout as sleep } from 'node:timers/promises';
import { type TestServers, withConnections } from '@agent-fleet/scripts/testing/test-redis';
import { startTestSentinel } from '@agent-fleet/scripts/testing/test-sentinel';
import { expect, test } from '@jest/globals';
import type { Redis } from 'ioredis';
import { createLogger } from '../logger.ts';
import { processIdOf } from '../testing/redis.ts';
import { until } from '../testing/until.ts';
import { waitForRedis } from './connection.ts';
import { isRedisUnavailable } from './errors.ts';
import type { ReplicatedWrites } from './replicated-writes.ts';
import { openStore } from './store.ts';

const WRITERS = 16;
/** From the moment when the promoted server has a replica, until a write is acknowledged. */
const RECOVERY_MS = 10_000;

const LOSSES = { 'is killed': 'SIGKILL', 'does not respond any more': 'SIGSTOP' } as const;

for (const [loss, signal] of Object.entries(LOSSES)) {
  test(`no acknowledged write is lost when the master ${loss}, and others are possible soon`, async () => {
    const redis = await startTestSentinel({ replicas: 2, minReplicas: 1 });
    const store = openStore(redis.url, createLogger('test', 'silent'), {
      minReplicas: 1,
      barrierKey: '{fleet}:replicated',
    });
    try {
      await waitForRedis(store.writer, 60_000);
      const writing = startWriting(store.writes);
      await sleep(500);
      const master = await processIdOf(store.writer as Redis);
      const lostAt = performance.now();
      const promotedAt = await promotionAfter(redis, () => process.kill(master, signal));
      await until(() => writing.lastMs > promotedAt, { timeoutMs: RECOVERY_MS });
      const seconds = (from: number, to: number) => ((to - from) / 1_000).toFixed(1);
      const recovery = seconds(promotedAt, writing.lastMs);
      console.info(`${signal}: promoted after ${seconds(lostAt, promotedAt)} s, writes ${recovery} s later`);
      await sleep(1_000);
      const { acknowledged, errors } = await writing.stop();
      expect(errors.filter((error) => !isRedisUnavailable(error))).toEqual([]);
      expect(errors.length).toBeGreaterThan(0);
      expect(await store.redis.mget(acknowledged)).not.toContain(null);
    } finally {
      store.close();
      await redis.close();
    }
  });
}

/** When one of the replicas has become a master after `lose`; resolves once that has a replica of its own. */
async function promotionAfter({ servers }: TestServers, lose: () => void): Promise<number> {
  let promotedAt = 0;
  const roleOf = async (redis: Redis) => (await redis.role())[0];
  const hasReplica = async (redis: Redis) => {
    const [role, , connected] = (await redis.role()) as [string, number, unknown[]];
    return role === 'master' && connected.length > 0;
  };
  await withConnections(servers, async (connections) => {
    const roles = await Promise.all(connections.map(roleOf));
    const replicas = connections.filter((_, at) => roles[at] === 'slave');
    lose();
    await until(async () => (await Promise.all(replicas.map(roleOf))).includes('master'));
    promotedAt = performance.now();
    // How long that takes is Redis' own matter, and on a busy machine takes most of the time.
    await until(async () => (await Promise.all(replicas.map(hasReplica))).includes(true));
  });
  return promotedAt;
}

/** Writes new keys, several at a time. */
function startWriting(writes: ReplicatedWrites) {
  const written = { acknowledged: [] as string[], errors: [] as unknown[] };
  let isStopped = false;
  let lastMs = 0;

  async function write(writer: number): Promise<void> {
    for (let number = 0; !isStopped; number++) {
      const key = `{fleet}:${writer}:${number}`;
      try {
        await writes.run((client) => client.set(key, 'x'));
        written.acknowledged.push(key);
        lastMs = performance.now();
      } catch (error) {
        written.errors.push(error);
        await sleep(50);
      }
    }
  }

  const done = Promise.all(Array.from({ length: WRITERS }, (_, writer) => write(writer)));
  return {
    /** When the last write was acknowledged. */
    get lastMs() {
      return lastMs;
    },
    async stop() {
      isStopped = true;
      await done;
      return written;
    },
  };
}
