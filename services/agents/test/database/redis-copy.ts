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

/** Starts a Redis without clients on a copy of the data, as after a crash; ends it with the result of `use`. */
async function useCopy<T>(dir: string, { bytes }: CopyOptions, use: (redis: Redis) => Promise<T>): Promise<T> {
  const copy = makeDataDir('fleet-copy-');
  try {
    cpSync(join(dir, 'appendonlydir'), join(copy, 'appendonlydir'), { recursive: true });
    if (bytes !== undefined) truncateSync(appendFileOf(copy), bytes);
    const server = await startRedis(findRedis(console.info), { dir: copy });
    const redis = new Redis(server.url);
    try {
      return await use(redis);
    } finally {
      redis.disconnect();
      await server.kill();
    }
  } finally {
    rmSync(copy, { recursive: true, force: true });
  }
}

/** What is wrong in the data that a crash would leave now. */
export const checkCopy = (dir: string, keys: Keys, options: CopyOptions = {}) =>
  useCopy(dir, options, (redis) => checkDatabase(redis, keys));
