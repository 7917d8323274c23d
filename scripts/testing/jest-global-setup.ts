import { makeDataDir } from '@agent-fleet/shared/testing/data-dir';
import { findRedis, startRedis } from '../local/redis-server.ts';
import { testRun } from './test-run.ts';

/** @public Gives all tests of a run one Redis: the one of REDIS_URL, else a private one in a temporary folder. */
export default async function globalSetup(): Promise<void> {
  if (process.env.REDIS_URL) {
    process.env.TEST_REDIS_URL = process.env.REDIS_URL;
    return;
  }
  const dir = makeDataDir('fleet-test-');
  const server = await startRedis(findRedis(console.info), { dir });
  process.env.TEST_REDIS_URL = server.url;
  testRun.redis = { dir, server };
}
