import { setTimeout as sleep } from 'node:timers/promises';
import { until } from '@agent-fleet/shared/testing/until';
import type { Stack } from './stack.ts';
import { describe, requireNone, type Scene, SETTLE_MS, underLoad, waitHealthy } from './under-load.ts';

const PAUSED_MS = 10_000;
const REPLACED_TIMEOUT_MS = 120_000;
const RELOADED_TIMEOUT_MS = 60_000;
/** A small image has no `pgrep`. */
/** Requests meet a moment of a few milliseconds in each. */
const RELOADS = 5;
const HAPROXY_PROCESSES = 'grep -lx haproxy /proc/[0-9]*/comm';

/** Takes a service through these numbers of replicas under load. @throws when a read or a write failed */
export async function scaleUnderLoad(scene: Scene, service: string, counts: readonly number[]): Promise<string> {
  const { stack, scale } = scene;
  const report = await underLoad(scene, async () => {
    for (const count of counts) {
      await stack.up({ ...scale, [service]: count });
      await stack.waitHealthy(service, count);
      await sleep(SETTLE_MS);
    }
  });
  requireNone(report.failedWrites, 'writes failed');
  return describe(report);
}

/**
 * Freezes one replica for ten seconds under load: its connections stay open and nothing answers. @throws when a read
 * failed
 */
export async function pauseOneUnderLoad(scene: Scene, service: string): Promise<string> {
  const { stack } = scene;
  const [victim = ''] = await stack.replicas(service);
  const report = await underLoad(scene, async () => {
    await stack.docker(['pause', victim]);
    try {
      await sleep(PAUSED_MS);
    } finally {
      await stack.docker(['unpause', victim]);
    }
    await waitHealthy(scene, service);
  });
  return describe(report);
}

/** Has a gateway replace its processes under load. @throws when a read or a write failed */
export async function replaceProcesses(scene: Scene): Promise<string> {
  const { stack } = scene;
  const [gateway = ''] = await stack.replicas('gateway');
  const report = await underLoad(scene, async () => {
    const began = new Date().toISOString();
    await stack.docker(['kill', '--signal', 'HUP', gateway]);
    await until(
      async () => (await stack.docker(['logs', '--since', began, gateway])).includes('replaced all processes'),
      {
        message: 'the processes are replaced',
        timeoutMs: REPLACED_TIMEOUT_MS,
      },
    );
  });
  requireNone(report.failedWrites, 'writes failed');
  return describe(report);
}

/**
 * Has the load balancer read its configuration anew under load, several times. @throws when a read or a write failed
 */
export async function reloadLoadBalancer(scene: Scene): Promise<string> {
  const { stack } = scene;
  const [loadBalancer = ''] = await stack.replicas('load-balancer');
  const report = await underLoad(scene, async () => {
    for (let reload = 0; reload < RELOADS; reload++) {
      const before = await haproxyProcesses(stack, loadBalancer);
      await stack.docker(['kill', '--signal', 'USR2', loadBalancer]);
      await until(async () => (await haproxyProcesses(stack, loadBalancer)).some((one) => !before.includes(one)), {
        message: 'another process has taken over',
        timeoutMs: RELOADED_TIMEOUT_MS,
      });
    }
  });
  requireNone(report.failedWrites, 'writes failed');
  return describe(report);
}

async function haproxyProcesses(stack: Stack, container: string): Promise<string[]> {
  return (await stack.exec(container, ['sh', '-c', HAPROXY_PROCESSES])).split('\n');
}
