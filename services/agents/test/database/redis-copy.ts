import { cpSync, readdirSync, rmSync, statSync, truncateSync } from 'node:fs';
import { join } from 'node:path';
import { findRedis, startRedis } from '@agent-fleet/scripts/local/redis-server';
import { makeDataDir } from '@agent-fleet/shared/testing/data-dir';
import { Redis } from 'ioredis';
import type { Keys } from '../../src/redis/keys.ts';
import { checkDatabase } from './check-database.ts';

/** Where a Redis of a test keeps its data. */
export async function readDataDir(redis: Redis): Promise<string> {
  const [, dir = ''] = (await redis.config('GET', 'dir')) as string[];
  return dir;
}

/** The file to which Redis appends commands, in a data folder. Since version 7 it is one of several. */
export function appendFileOf(dir: string): string {
  const folder = join(dir, 'appendonlydir');
  const last = readdirSync(folder)
    .filter((name) => name.endsWith('.incr.aof'))
    .toSorted((one, other) => Number(/\.(\d+)\.incr/.exec(one)?.[1]) - Number(/\.(\d+)\.incr/.exec(other)?.[1]))
    .at(-1);
  if (last === undefined) throw new Error(`No append-only file in ${folder}`);
  return join(folder, last);
}

export const appendedBytes = (dir: string) => statSync(appendFileOf(dir)).size;

interface CopyOptions {
  /** The length of the append-only file, as if Redis had crashed in the middle of a write; default all of it. */
  bytes?: number;
}

/**
 * What is wrong in the data that a crash would leave now. After a cut also what is wrong after a further crash: a Redis
 * may run the half of a script only then.
 */
export async function checkCopy(dir: string, keys: Keys, { bytes }: CopyOptions = {}): Promise<string[]> {
  const copy = makeDataDir('fleet-copy-');
  try {
    cpSync(join(dir, 'appendonlydir'), join(copy, 'appendonlydir'), { recursive: true });
    if (bytes === undefined) return await useRedis(copy, (redis) => checkDatabase(redis, keys));
    truncateSync(appendFileOf(copy), bytes);
    const problems = await useRedis(copy, async (redis) => {
      const found = await checkDatabase(redis, keys);
      const layout = (await redis.get(keys.layout)) ?? '';
      await redis.multi().set(keys.layout, layout).set(keys.layout, layout).exec();
      return found;
    });
    return [...problems, ...(await useRedis(copy, (redis) => checkDatabase(redis, keys)))];
  } finally {
    rmSync(copy, { recursive: true, force: true });
  }
}

/** Starts a Redis on the data, without other clients, and kills it with the result of `use`. */
async function useRedis<T>(dir: string, use: (redis: Redis) => Promise<T>): Promise<T> {
  const server = await startRedis(findRedis(console.info), { dir });
  const redis = new Redis(server.url);
  try {
    return await use(redis);
  } finally {
    redis.disconnect();
    await server.kill();
  }
}
