import { Cluster, type Redis } from 'ioredis';
import type { RedisClient } from '../redis/connection.ts';

/** A connection to each master. */
export function mastersOf(client: RedisClient): Redis[] {
  return client instanceof Cluster ? client.nodes('master') : [client];
}

/** All keys that match a pattern of KEYS. */
export async function keysOf(client: RedisClient, pattern: string): Promise<string[]> {
  return (await Promise.all(mastersOf(client).map((master) => master.keys(pattern)))).flat();
}

/** A connection to the master that has a key that matches. @throws when none has */
export async function masterWith(client: RedisClient, pattern: string): Promise<Redis> {
  for (const master of mastersOf(client)) {
    if ((await master.keys(pattern)).length > 0) return master;
  }
  throw new Error(`No master has a key ${pattern}`);
}

/** The id of a server's process on this machine. */
export async function processIdOf(redis: Redis): Promise<number> {
  return Number(/process_id:(\d+)/.exec(await redis.info('server'))?.[1]);
}
