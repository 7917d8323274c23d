import type { RedisClient } from './connection.ts';

const SCRIPT = "return redis.call('TIME')";

/**
 * The time of the server of a key in ms since the epoch, with a fraction: all replicas of a service agree on it. A
 * cluster sends TIME itself to any node, whose clock may differ.
 */
export async function redisTime(redis: RedisClient, key: string): Promise<number> {
  const [seconds, micros] = (await redis.eval_ro(SCRIPT, 1, key)) as [string, string];
  return Number(seconds) * 1_000 + Number(micros) / 1_000;
}
