import { startTestCluster } from '@agent-fleet/scripts/testing/test-cluster';
import { startTestSentinel } from '@agent-fleet/scripts/testing/test-sentinel';
import { expect, test } from '@jest/globals';
import { createLogger } from '../logger.ts';
import { masterWith, processIdOf } from '../testing/redis-nodes.ts';
import { until } from '../testing/until.ts';
import { connectRedis, isRedisUnavailable, waitForRedis } from './connection.ts';

const KEY = 'text';
/** The replica takes over within seconds; a command to a lost machine waits for five more. */
const FAILOVER_TIMEOUT_MS = 20_000;

const SETUPS = { cluster: () => startTestCluster({ masters: 3, replicas: 1 }), sentinel: startTestSentinel };
const LOSSES = { 'is killed': 'SIGKILL', 'does not respond any more': 'SIGSTOP' } as const;

for (const [setup, start] of Object.entries(SETUPS)) {
  for (const [loss, signal] of Object.entries(LOSSES)) {
    test(`${setup}: a connection finds the new master after the old one ${loss}`, async () => {
      const redis = await start();
      const client = connectRedis(redis.url, createLogger('test', 'silent'));
      try {
        await waitForRedis(client, 60_000);
        await client.set(KEY, 'x');
        process.kill(await processIdOf(await masterWith(client, KEY)), signal);
        const errors: unknown[] = [];
        const write = () => client.set(KEY, 'y').catch((error: unknown) => void errors.push(error));
        await until(write, { timeoutMs: FAILOVER_TIMEOUT_MS });
        expect(errors.filter((error) => !isRedisUnavailable(error))).toEqual([]);
        expect(errors.length).toBeGreaterThan(0);
      } finally {
        client.disconnect();
        await redis.close();
      }
    });
  }
}
