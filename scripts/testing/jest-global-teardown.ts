import { rmSync } from 'node:fs';
import { testRun } from './test-run.ts';

/** @public Stops the Redis that the setup started and removes its data. */
export default async function globalTeardown(): Promise<void> {
  if (testRun.redis === undefined) return;
  await testRun.redis.server.stop();
  rmSync(testRun.redis.dir, { recursive: true, force: true });
}
