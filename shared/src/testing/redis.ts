import { randomBytes } from 'node:crypto';
import type { Redis } from 'ioredis';

/** The Redis of this test run. */
export function testRedisUrl(): string {
  const url = process.env.TEST_REDIS_URL;
  if (!url) throw new Error('TEST_REDIS_URL is not set: run the tests by jest, whose global setup starts a Redis');
  return url;
}

/** A key prefix (REDIS_PREFIX) of one test file in one run; `name` has at most 16 letters, digits, _ or -. */
export function uniquePrefix(name: string): string {
  return `${name}-${randomBytes(6).toString('hex')}`;
}

/** The id of a server's process on this machine. */
export async function processIdOf(redis: Redis): Promise<number> {
  return Number(/process_id:(\d+)/.exec(await redis.info('server'))?.[1]);
}
