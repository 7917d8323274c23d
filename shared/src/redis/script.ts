import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { basename } from 'node:path';
import type { RedisReads, RedisStore } from './store.ts';

export type RedisScript = (keys: string[], args: (string | number)[]) => Promise<unknown>;

const READ_ONLY = /^--- @flags no-writes$/m;
/** With this first line, Redis refuses writes of a script. */
const NO_WRITES = '#!lua flags=no-writes';
const INCLUDE = /^--- @include "([\w-]+)"$/gm;
const TIME = "return redis.call('TIME')";

/**
 * Loads a Lua script, called by its hash. The file name ends with the number of keys: `replace-agent-3.lua`. A line
 * `--- @include "name"` is replaced by `name.lua` of `includes`, once per script, as in BullMQ's scripts. A script with
 * the line `--- @flags no-writes` only reads, and is sent as a read; any other one resolves when its replicas have it.
 */
export function loadScript(
  { redis, writes }: RedisStore,
  file: URL,
  includes = new URL('includes/', file),
): RedisScript {
  const [, name, keyCount] = /^(.+)-(\d+)\.lua$/.exec(basename(file.pathname)) ?? [];
  if (!name) throw new Error(`${file.pathname} does not end with its number of keys`);
  const text = readWithIncludes(file, includes);
  const isRead = READ_ONLY.test(text);
  const lua = isRead ? `${NO_WRITES}\n${text}` : text;
  const sha = createHash('sha1').update(lua).digest('hex');
  const send = (command: 'eval' | 'evalsha', script: string, words: (string | number)[]) => {
    const call = (client: Pick<RedisReads, 'eval' | 'evalsha'>) => client[command](script, String(keyCount), ...words);
    return isRead ? call(redis) : writes.run(call);
  };
  return async (keys, args) => {
    const words = [...keys, ...args];
    try {
      return await send('evalsha', sha, words);
    } catch (error) {
      // The server has not seen it since its start.
      if (!(error instanceof Error && error.message.startsWith('NOSCRIPT'))) throw error;
      return send('eval', lua, words);
    }
  };
}

/**
 * The time of the server of a key in ms since the epoch, with a fraction: all replicas of a service agree on it. A
 * cluster sends TIME itself to any node, whose clock may differ.
 */
export async function redisTime(redis: RedisReads, key: string): Promise<number> {
  const [seconds, micros] = (await redis.eval_ro(TIME, 1, key)) as [string, string];
  return Number(seconds) * 1_000 + Number(micros) / 1_000;
}

function readWithIncludes(script: URL, includes: URL): string {
  const included = new Set<string>();
  const read = (file: URL): string =>
    readFileSync(file, 'utf8').replace(INCLUDE, (_line, name: string) => {
      if (included.has(name)) return '';
      included.add(name);
      return read(new URL(`${name}.lua`, includes));
    });
  return read(script);
}
