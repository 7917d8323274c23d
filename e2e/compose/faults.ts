import { setTimeout as sleep } from 'node:timers/promises';
import { Work } from '../harness/work.ts';
import { listAgentIds, request, type Target } from './load.ts';
import { describe, requireAll, requireNone, type Scene, SETTLE_MS, underLoad, waitHealthy } from './under-load.ts';

/** Redis syncs its append-only file every second. */
const SYNCED_MS = 1_500;
const BACK_TIMEOUT_MS = 90_000;
const BACK_ANSWERS = 50;
/** A service has 23 s, and docker itself a moment. */
const STOPPED_WITHIN_MS = 24_000;

/** Starts more replicas under load. @throws when a read failed, or an agent is gone whose creation was answered */
export async function scaleOut(scene: Scene): Promise<string> {
  return describe(
    await underLoad(scene, async () => {
      await scene.stack.up(scene.scale);
      for (const service of Object.keys(scene.scale)) await waitHealthy(scene, service);
    }),
  );
}

/** Kills one replica of a service under load. @throws when as above */
export async function killOneUnderLoad(scene: Scene, service: string): Promise<string> {
  const [victim = ''] = await scene.stack.replicas(service);
  return describe(
    await underLoad(scene, async () => {
      await scene.stack.kill(victim);
      await waitHealthy(scene, service);
    }),
  );
}

/**
 * Stops one replica under load, then starts it again. @throws as above, and when a write failed or it did not exit with
 * 0 in 24 s
 */
export async function stopOneUnderLoad(scene: Scene, service: string): Promise<string> {
  const [victim = ''] = await scene.stack.replicas(service);
  let stopMs = 0;
  const report = await underLoad(scene, async () => {
    const began = Date.now();
    await scene.stack.docker(['stop', '--time', '25', victim]);
    stopMs = Date.now() - began;
    await sleep(SETTLE_MS);
    const exitCode = await scene.stack.inspect(victim, '{{.State.ExitCode}}');
    await scene.stack.docker(['start', victim]);
    await waitHealthy(scene, service);
    if (exitCode !== '0') throw new Error(`It exited with ${exitCode}`);
  });
  requireNone(report.failedWrites, 'writes failed');
  if (stopMs > STOPPED_WITHIN_MS) throw new Error(`It took ${stopMs} ms to stop`);
  return `${describe(report)}, stopped in ${(stopMs / 1_000).toFixed(1)} s`;
}

/** Kills one replica while tasks are given, leased and completed. @throws when one is lost or ends twice */
export function killUnderWork(scene: Scene, service: string): Promise<string> {
  return underWork(scene, async () => {
    const [victim = ''] = await scene.stack.replicas(service);
    await scene.stack.kill(victim);
    await waitHealthy(scene, service);
  });
}

/** Stops all replicas but one, and starts them again. @throws as above */
export function scaleUnderWork(scene: Scene, service: string): Promise<string> {
  return underWork(scene, async () => {
    for (const count of [1, scene.scale[service] ?? 1]) {
      await scene.stack.up({ ...scene.scale, [service]: count });
      await scene.stack.waitHealthy(service, count);
      await sleep(SETTLE_MS);
    }
  });
}

async function underWork({ target }: Scene, disturb: () => Promise<void>): Promise<string> {
  const work = await Work.start(target, 'gemini');
  try {
    await sleep(SETTLE_MS);
    await disturb();
    await sleep(SETTLE_MS);
  } catch (error) {
    await work.finish().catch(() => undefined);
    throw error;
  }
  return work.finish();
}

/**
 * Stops all replicas of a service, then starts them again. @throws when `path`, which is another's, is not answered
 * meanwhile
 */
export async function stopAll({ stack, target }: Scene, service: string, path: string): Promise<string> {
  const replicas = await stack.replicas(service);
  await stack.docker(['stop', '--time', '25', ...replicas]);
  try {
    const problems: string[] = [];
    for (const end = Date.now() + SETTLE_MS; Date.now() < end; ) {
      const { status, problem } = await request(target, path);
      if (status !== 200) problems.push(problem);
    }
    requireNone(problems, 'reads failed');
  } finally {
    await stack.docker(['start', ...replicas]);
  }
  await stack.waitHealthy(service, replicas.length);
  return `GET ${path} answered meanwhile`;
}

/**
 * Kills Redis a moment after the last write. @throws when an agent is gone, or reads are not answered again within 90 s
 */
export async function killRedis({ stack, target }: Scene): Promise<string> {
  const before = await listAgentIds(target);
  await sleep(SYNCED_MS);
  const [redis = ''] = await stack.replicas('redis');
  const killed = Date.now();
  await stack.kill(redis);
  await untilAnswered(target);
  const backMs = Date.now() - killed;
  requireAll([...before], await listAgentIds(target));
  return `${before.size} agents, reads answered again after ${(backMs / 1_000).toFixed(1)} s`;
}

/** Each replica finds its way back on its own, so one answer is not enough. */
async function untilAnswered(target: Target): Promise<void> {
  const deadline = Date.now() + BACK_TIMEOUT_MS;
  for (let inARow = 0; inARow < BACK_ANSWERS; ) {
    const { status, problem } = await request(target, '/agents?limit=1');
    inARow = status === 200 ? inARow + 1 : 0;
    if (Date.now() > deadline) throw new Error(`GET /agents after ${BACK_TIMEOUT_MS / 1_000} s: ${problem}`);
    await sleep(20);
  }
}
