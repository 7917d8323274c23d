import { rmSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { makeDataDir } from '@agent-fleet/shared/testing/data-dir';
import { Redis } from 'ioredis';
import { findRedis, type RedisServerOptions, startRedis } from '../local/redis-server.ts';

const CLUSTER_DEADLINE_MS = 60_000;

/** A Redis that a test may kill and restart; `url` stays the same. */
export interface TestRedis {
  url: string;
  /** Ends it with SIGKILL. */
  kill(): Promise<void>;
  /** Ends it with SIGTERM. */
  stop(): Promise<void>;
  /** After `kill` or `stop`: the same server again, on the same port and data. */
  restart(): Promise<void>;
  /** Ends it and removes its data. */
  close(): Promise<void>;
}

/** A Redis of the test's own, for tests that kill it or change how it is configured. */
export async function startTestRedis(options: Omit<RedisServerOptions, 'dir'> = {}): Promise<TestRedis> {
  const dir = makeDataDir('fleet-redis-');
  const command = findRedis(console.info);
  let server = await startRedis(command, { ...options, dir });
  const { url, port, password } = server;
  return {
    url,
    kill: () => server.kill(),
    stop: () => server.stop(),
    restart: async () => {
      server = await startRedis(command, { ...options, dir, port, password });
    },
    close: async () => {
      await server.stop();
      rmSync(dir, { recursive: true, force: true });
    },
  };
}

/** A Redis Cluster of one node that serves all slots; `url` is `redis+cluster://…`. Needs Redis 7 or newer. */
export async function startTestCluster(): Promise<TestRedis> {
  const server = await startTestRedis({ cluster: true });
  const redis = new Redis(server.url);
  try {
    await redis.call('CLUSTER', 'ADDSLOTSRANGE', '0', '16383');
    const deadline = Date.now() + CLUSTER_DEADLINE_MS;
    while (!String(await redis.call('CLUSTER', 'INFO')).includes('cluster_state:ok')) {
      if (Date.now() > deadline) throw new Error('The test cluster does not become ready');
      await sleep(20);
    }
  } finally {
    redis.disconnect();
  }
  return { ...server, url: server.url.replace('redis://', 'redis+cluster://') };
}
