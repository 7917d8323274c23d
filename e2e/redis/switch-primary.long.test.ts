import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { startChild } from '@agent-fleet/scripts/local/child-process';
import { findOnPath } from '@agent-fleet/scripts/local/system-packages';
import { ROOT } from '@agent-fleet/scripts/services';
import { runCommand } from '@agent-fleet/scripts/testing/command';
import { startTestSentinel, type TestSentinel } from '@agent-fleet/scripts/testing/test-sentinel';
import type { RedisClient } from '@agent-fleet/shared/redis/connection';
import { processIdOf } from '@agent-fleet/shared/testing/redis';
import { until } from '@agent-fleet/shared/testing/until';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { Redis } from 'ioredis';
import { withRedis } from '../harness/redis.ts';

const SERVERS = 3;
const WRITERS = 8;
/** Less than the pause. */
const RESUMED_MS = 8_000;

let redis: TestSentinel;

if (findOnPath(['flock'])) describe('A planned switch of the primary:', specifySwitch);
else test.skip('a planned switch needs flock', () => undefined);

/** The command of the script, with its environment. */
function command() {
  const sentinels = redis.servers.slice(SERVERS).map(({ port }) => `127.0.0.1:${port}`);
  const args = [join(ROOT, 'deploy/redis/switch-primary.sh'), 'fleet', ...sentinels];
  return [args, { env: { ...process.env, REDISCLI_AUTH: redis.servers[0]?.password } }] as const;
}

const switchPrimary = () => runCommand('sh', ...command());

/** Writes new keys until `body` ends, and resolves with those that were acknowledged. */
async function writeDuring(
  client: RedisClient,
  body: (acknowledged: readonly string[]) => Promise<void>,
): Promise<string[]> {
  const acknowledged: string[] = [];
  let isOver = false;
  const writing = Array.from({ length: WRITERS }, async (_, writer) => {
    for (let number = 0; !isOver; number++) {
      const key = `${writer}:${number}`;
      await client.set(key, 'x').then(
        () => acknowledged.push(key),
        () => undefined,
      );
    }
  });
  await body(acknowledged).finally(() => {
    isOver = true;
  });
  await Promise.all(writing);
  return acknowledged;
}

/** Runs `body` while a server hangs. */
async function whileHanging(url: string, body: () => Promise<void>): Promise<void> {
  const admin = new Redis(url);
  const pid = await processIdOf(admin);
  admin.disconnect();
  process.kill(pid, 'SIGSTOP');
  try {
    await body();
  } finally {
    process.kill(pid, 'SIGCONT');
  }
}

function specifySwitch(): void {
  beforeAll(async () => {
    redis = await startTestSentinel();
  }, 180_000);
  afterAll(() => redis.close(), 60_000);

  test('loses no acknowledged write, although no write waits for a replica', async () => {
    const before = await redis.master();
    await withRedis(redis.url, async (client) => {
      const acknowledged = await writeDuring(client, async (written) => {
        await until(() => written.length > 100);
        expect(await switchPrimary()).toMatchObject({ exitCode: 0, stderr: '' });
      });
      const kept = await client.mget(acknowledged);
      expect(acknowledged.filter((_, at) => kept[at] === null)).toEqual([]);
    });
    expect(await redis.master()).not.toBe(before);
  });

  test('lets writes go on when it is interrupted, and refuses while a replica lags', async () => {
    const before = await redis.master();
    const replica = redis.servers.slice(0, SERVERS).find((server) => server !== before);
    await whileHanging(String(replica?.url), async () => {
      await withRedis(before.url, async (client) => {
        const interrupted = startChild('sh', ...command());
        await until(async () => !(await isWritable(client)), { message: 'writes wait', pollMs: 0 });
        await interrupted.stop();
        await until(() => isWritable(client), { message: 'writes go on', timeoutMs: RESUMED_MS });
        const stderr = expect.stringMatching(/do not catch up|Not all 2 replicas follow/);
        expect(await switchPrimary()).toMatchObject({ exitCode: 1, stderr });
        await until(() => isWritable(client), { message: 'writes go on', timeoutMs: RESUMED_MS });
      });
    });
    expect(await redis.master()).toBe(before);
  });

  test('refuses where a sentinel does not respond', async () => {
    await whileHanging(String(redis.servers.at(-1)?.url), async () => {
      const stderr = expect.stringContaining('sentinels do not respond');
      expect(await switchPrimary()).toMatchObject({ exitCode: 1, stderr });
    });
  });
}

/** Whether a write succeeds within 200 ms. */
function isWritable(client: RedisClient): Promise<boolean> {
  return Promise.race([client.set('probe', 'x').then(() => true), sleep(200, false)]);
}
