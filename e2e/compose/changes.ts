import { setTimeout as sleep } from 'node:timers/promises';
import { until } from '@agent-fleet/shared/testing/until';
import type { Stack } from './stack.ts';
import { type Change, PAUSE_MS, type Scene } from './under-load.ts';

const PAUSED_MS = 10_000;
const REPLACED_TIMEOUT_MS = 120_000;
const RELOADED_TIMEOUT_MS = 60_000;
/** Enough repetitions that requests arrive in the few critical milliseconds of a change. */
const RELOADS = 5;
/** The small image has no `pgrep`. `grep` exits with 2 where a process has ended since the shell listed it. */
const HAPROXY_PROCESSES = 'grep -lxs haproxy /proc/[0-9]*/comm || [ $? = 2 ]';
/** The limit of a service is 23 s; docker itself takes a moment. */
const STOPPED_WITHIN_MS = 24_000;

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
      await sleep(PAUSE_MS);
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

/** Stops one replica, then starts it again. @throws if it did not exit with 0 within 24 s */
export function stopOne(service: string): Change {
  return async (scene) => {
    const { stack } = scene;
    const victim = await oneOf(scene, service);
    const began = Date.now();
    await stack.docker(['stop', '--time', '25', victim]);
    const stopMs = Date.now() - began;
    await sleep(PAUSE_MS);
    const exitCode = await stack.inspect(victim, '{{.State.ExitCode}}');
    await stack.docker(['start', victim]);
    await waitHealthy(scene, service);
    if (exitCode !== '0') throw new Error(`It exited with ${exitCode}`);
    if (stopMs > STOPPED_WITHIN_MS) throw new Error(`It took ${stopMs} ms to stop`);
    return `stopped in ${(stopMs / 1_000).toFixed(1)} s`;
  };
}

/** Pauses one replica for ten seconds: its connections stay open, and it does not respond. */
export function pauseOne(service: string): Change {
  return async (scene) => {
    const { stack } = scene;
    const victim = await oneOf(scene, service);
    // Docker sometimes fails to freeze a busy container, and lets it run on.
    await until(() => stack.docker(['pause', victim]), { message: 'the replica is paused', pollMs: 1_000 });
    try {
      await sleep(PAUSED_MS);
    } finally {
      await stack.docker(['unpause', victim]);
    }
    await waitHealthy(scene, service);
  };
}

/** Makes a gateway replace its processes. */
export const replaceProcesses: Change = async (scene) => {
  const gateway = await oneOf(scene, 'gateway');
  const began = new Date().toISOString();
  await scene.stack.docker(['kill', '--signal', 'HUP', gateway]);
  const log = () => scene.stack.docker(['logs', '--since', began, gateway]);
  await until(async () => (await log()).includes('replaced all processes'), {
    message: 'the processes are replaced',
    timeoutMs: REPLACED_TIMEOUT_MS,
  });
};

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
