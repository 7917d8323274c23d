import { createLogger } from '@agent-fleet/shared/logger';
import { connectRedis, type RedisClient, waitForRedis } from '@agent-fleet/shared/redis/connection';

const READY_TIMEOUT_MS = 30_000;

/** Runs `body` with a connection of the test's own to a Redis, Sentinel or Cluster. */
export async function withRedis<T>(url: string, body: (redis: RedisClient) => Promise<T>): Promise<T> {
  const redis = connectRedis(url, createLogger('e2e', 'silent'), { enableOfflineQueue: true });
  try {
    await waitForRedis(redis, READY_TIMEOUT_MS);
    return await body(redis);
  } finally {
    redis.disconnect();
  }
}
