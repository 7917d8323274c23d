import { readFileSync } from 'node:fs';
import { basename } from 'node:path';
import type { RedisClient } from './connection.ts';

export type RedisScript = (keys: string[], args: (string | number)[]) => Promise<unknown>;

type Commands = Record<string, (...values: (string | number)[]) => Promise<unknown>>;

const READ_ONLY = /^--- @flags no-writes$/m;
/** With this first line, Redis refuses writes of a script. */
const NO_WRITES = '#!lua flags=no-writes';
const INCLUDE = /^--- @include "([\w-]+)"$/gm;

/**
 * Loads a Lua script, called by its hash. The file name ends with the number of keys: `replace-agent-3.lua`. A line
 * `--- @include "name"` is replaced by `includes/name.lua`, once per script, as in BullMQ's scripts. The line
 * `--- @flags no-writes` declares a script that only reads.
 */
export function loadScript(redis: RedisClient, file: URL): RedisScript {
  const [, name, keyCount] = /^(.+)-(\d+)\.lua$/.exec(basename(file.pathname)) ?? [];
  if (!name) throw new Error(`${file.pathname} does not end with its number of keys`);
  const text = readWithIncludes(file);
  const readOnly = READ_ONLY.test(text);
  const lua = readOnly ? `${NO_WRITES}\n${text}` : text;
  redis.defineCommand(name, { numberOfKeys: Number(keyCount), lua, readOnly });
  const commands = redis as unknown as Commands;
  return (keys, args) => (commands[name] as Commands[string])(...keys, ...args);
}

function readWithIncludes(script: URL): string {
  const included = new Set<string>();
  const read = (file: URL): string =>
    readFileSync(file, 'utf8').replace(INCLUDE, (_line, name: string) => {
      if (included.has(name)) return '';
      included.add(name);
      return read(new URL(`includes/${name}.lua`, script));
    });
  return read(script);
}
