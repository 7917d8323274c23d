import { hash } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { brotliCompressSync } from 'node:zlib';
import { uniquePrefix } from '@agent-fleet/shared/testing/redis';
import { until } from '@agent-fleet/shared/testing/until';
import { expect, test } from '@jest/globals';
import { registryKeys } from '../src/keys.ts';
import { registryOf } from './support/fake-upstream.ts';
import { keyOfSources, openRegistry, openUpstream, untilSkills } from './support/open-registry.ts';
import { openFolder, openRedis } from './support/opened.ts';

const DAY_MS = 86_400_000;

/** What version 1.0 kept of a source in Redis and on the disk, under the names that the present version uses too. */
async function writeVersion1(url: string, prefix: string, dataDir: string): Promise<void> {
  const bytes = Buffer.from(JSON.stringify(registryOf(20)));
  const at = Date.now() - DAY_MS;
  const meta = JSON.stringify({ id: hash('sha256', bytes), fetchedAt: at, etag: '"1"', lastModified: null });
  const key = keyOfSources(url);
  const [redis, keys] = [openRedis(), registryKeys(prefix)];
  await redis.hset(keys.snapshot(key), { meta, body: brotliCompressSync(bytes) });
  await redis.set(keys.check(key), JSON.stringify({ at, error: null }));
  mkdirSync(join(dataDir, 'registry'));
  writeFileSync(join(dataDir, 'registry', `snapshot-${key}`), `${meta}\n${bytes}`);
}

test('a registry that finds what version 1.0 kept fetches its sources anew, and keeps them', async () => {
  const [upstream, prefix, dataDir] = [await openUpstream(50), uniquePrefix('version-1'), openFolder()];
  await writeVersion1(upstream.url, prefix, dataDir);
  const options = { source: upstream.url, prefix, dataDir };
  const registry = await openRegistry(options);
  await untilSkills(registry, 50);
  const key = registryKeys(prefix).snapshot(keyOfSources(upstream.url));
  const isReplaced = async () => (await openRedis().hkeys(key)).every((field) => field !== 'body');
  await until(isReplaced, { message: 'Redis has the new snapshot', timeoutMs: 10_000 });
  await registry.close();
  await upstream.close();
  const again = await openRegistry(options);
  expect((await again.status()).counts.skills).toBe(50);
});
