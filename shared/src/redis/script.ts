import { readFileSync } from 'node:fs';
import { basename } from 'node:path';
import type { RedisClient } from './connection.ts';

export type RedisScript = (keys: string[], args: (string | number)[]) => Promise<unknown>;

type Commands = Record<string, (...values: (string | number)[]) => Promise<unknown>>;

/** Loads a Lua script, called by its hash. The file name ends with the number of keys: `replace-agent-3.lua`. */
export function loadScript(redis: RedisClient, file: URL): RedisScript {
  const [, name, keyCount] = /^(.+)-(\d+)\.lua$/.exec(basename(file.pathname)) ?? [];
  if (!name) throw new Error(`${file.pathname} does not end with its number of keys`);
  redis.defineCommand(name, { numberOfKeys: Number(keyCount), lua: readFileSync(file, 'utf8') });
  const commands = redis as unknown as Commands;
  return (keys, args) => (commands[name] as Commands[string])(...keys, ...args);
}
