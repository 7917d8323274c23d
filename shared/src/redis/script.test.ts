import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect, test } from '@jest/globals';
import { createLogger } from '../logger.ts';
import { testRedisUrl, uniquePrefix } from '../testing/redis.ts';
import { connectRedis, waitForRedis } from './connection.ts';
import { loadScript } from './script.ts';
import { storeOn } from './store.ts';

test('a script that is declared to only read cannot write', async () => {
  const dir = mkdtempSync(join(tmpdir(), 'fleet-scripts-'));
  const client = connectRedis(testRedisUrl(), createLogger('test', 'silent'));
  await waitForRedis(client, 60_000);
  const store = storeOn(client);
  const load = (name: string, head: string) => {
    const file = join(dir, `${name}-1.lua`);
    writeFileSync(file, `${head}\nreturn redis.call('INCR', KEYS[1])\n`);
    return loadScript(store, pathToFileURL(file));
  };
  try {
    const key = uniquePrefix('script');
    await expect(load('declared', '-- Reads.\n--- @flags no-writes')([key], [])).rejects.toThrow('read-only');
    expect(await load('other', '-- Writes.')([key], [])).toBe(1);
  } finally {
    client.disconnect();
    rmSync(dir, { recursive: true });
  }
});
