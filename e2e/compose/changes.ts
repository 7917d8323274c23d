import { setTimeout as sleep } from 'node:timers/promises';
import { until } from '@agent-fleet/shared/testing/until';
import { NOTICED_MS } from './load.ts';
import type { Stack } from './stack.ts';
import type { Change, Scene } from './under-load.ts';

const RELOADED_TIMEOUT_MS = 60_000;
/** Enough repetitions that requests arrive in the few critical milliseconds of a change. */
const RELOADS = 5;
/** The small image has no `pgrep`. `grep` exits with 2 where a process has ended since the shell listed it. */
const HAPROXY_PROCESSES = 'grep -lxs haproxy /proc/[0-9]*/comm || [ $? = 2 ]';

/** Starts all replicas. */
export const scaleOut: Change = async ({ stack, scale }) => {
  await stack.up(scale);
  for (const [service, count] of Object.entries(scale)) await stack.waitHealthy(service, count);
};

/** Scales a service to each of these numbers of replicas. */
export function scaleTo(service: string, ...counts: number[]): Change {
  return async ({ stack, scale }) => {
    for (const count of counts) {
      await stack.up({ ...scale, [service]: count });
      await stack.waitHealthy(service, count);
      await sleep(NOTICED_MS);
    }
  };
}

/** Kills one replica of a service with SIGKILL. */
export function killOne(service: string): Change {
  return async (scene) => {
    await scene.stack.kill(await oneOf(scene, service));
    await waitHealthy(scene, service);
  };
}

/** Replaces all replicas of a service. @throws if one did not stop by itself within its 25 s */
export function replaceAll(service: string): Change {
  return async ({ stack, scale }) => {
    const before = await stack.replicas(service);
    await stack.rollingUpdate(service);
    const after = await stack.replicas(service);
    const kept = after.filter((id) => before.includes(id));
    if (kept.length > 0 || after.length !== scale[service]) {
      throw new Error(`${kept.length} were kept, ${after.length} are there`);
    }
    return `${after.length} replaced`;
  };
}

/** Makes the load balancer reload its configuration several times. */
export const reloadLoadBalancer: Change = async (scene) => {
  const loadBalancer = await oneOf(scene, 'load-balancer');
  for (let reload = 0; reload < RELOADS; reload++) {
    const before = await haproxyProcesses(scene.stack, loadBalancer);
    await scene.stack.docker(['kill', '--signal', 'USR2', loadBalancer]);
    const now = () => haproxyProcesses(scene.stack, loadBalancer);
    await until(async () => (await now()).some((one) => !before.includes(one)), {
      message: 'another process has taken over',
      timeoutMs: RELOADED_TIMEOUT_MS,
    });
  }
};

async function haproxyProcesses(stack: Stack, container: string): Promise<string[]> {
  return (await stack.exec(container, ['sh', '-c', HAPROXY_PROCESSES])).split('\n').filter(Boolean);
}

async function oneOf({ stack }: Scene, service: string): Promise<string> {
  const [id = ''] = await stack.replicas(service);
  return id;
}

function waitHealthy({ stack, scale }: Scene, service: string): Promise<void> {
  return stack.waitHealthy(service, scale[service] ?? 1);
}
