import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { until } from '@agent-fleet/shared/testing/until';
import { runTests } from './e2e-tests.ts';
import { request, type Target } from './load.ts';
import type { Run } from './run.ts';
import type { Scene } from './under-load.ts';

/** The browser and the first page take a while, and a task whose poll was lost waits for the end of its lease. */
const COMPLETED_TIMEOUT_MS = 90_000;

/**
 * Kills each gateway in turn, so that also the one is hit that sends the events of a page. Meanwhile a browser creates
 * tasks in the page and sees them completed.
 */
export async function watchWhileKilling(run: Run): Promise<string> {
  const over = join(run.folder, 'gateways-are-killed');
  let isWatched = true;
  const watching = runTests(run, 'browser/live', { E2E_LIVE_UNTIL: over }).finally(() => {
    isWatched = false;
  });
  const killing = killEachGateway(run.scene, () => isWatched).finally(() => writeFile(over, ''));
  return (await Promise.all([killing, watching]))[0];
}

async function killEachGateway({ stack, scale, target }: Scene, isWatched: () => boolean): Promise<string> {
  /** Waits until one more task is completed. */
  const untilCompleted = async () => {
    const before = await countCompleted(target);
    await until(async () => !isWatched() || (await countCompleted(target)) > before, {
      message: 'the page goes on with a task',
      timeoutMs: COMPLETED_TIMEOUT_MS,
      pollMs: 200,
    });
  };
  const gateways = await stack.replicas('gateway');
  await untilCompleted();
  for (const gateway of gateways) {
    await stack.kill(gateway);
    await stack.waitHealthy('gateway', scale.gateway ?? 1);
    await untilCompleted();
  }
  return `${gateways.length} gateways killed`;
}

async function countCompleted(target: Target): Promise<number> {
  return (await request(target, '/tasks?status=completed&limit=1')).total;
}
