import { rmSync } from 'node:fs';
import { makeDataDir } from '@agent-fleet/shared/testing/data-dir';
import { findRedis, startRedis } from '../../local/redis-server.ts';
import { own } from '../own.ts';

/** @public Gives all tests of a run one Redis: the one of REDIS_URL, else a private one in a temporary folder. */
export default async function setup(): Promise<void> {
  // The channel of scripts/run.mjs closes when that ends, even by kill -9.
  process.on('disconnect', () => process.exit(1));
  // The listener alone would keep the process alive.
  process.channel?.unref();
  process.env.TEST_REDIS_URL = process.env.REDIS_URL;
  if (process.env.REDIS_URL) return;
  const dir = makeDataDir('fleet-test-');
  own(() => rmSync(dir, { recursive: true, force: true }));
  const server = await startRedis(findRedis(console.info), { dir });
  own(() => server.stop());
  process.env.TEST_REDIS_URL = server.url;
}
