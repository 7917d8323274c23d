import { setTimeout as sleep } from 'node:timers/promises';
import { listAgentIds, NOTICED_MS, request } from './load.ts';
import { type Change, requireAll, requireNone, type Scene } from './under-load.ts';

/** Redis syncs its append-only file every second. */
const SYNCED_MS = 1_500;
const BACK_TIMEOUT_MS = 90_000;
const BACK_ANSWERS = 50;

/** Stops Redis and writes the begin of a script behind its data, as if it were killed in the middle of a write. */
const WRITE_HALF =
  "kill -STOP -1; printf '*1\\r\\n$5\\r\\nMULTI\\r\\n*3\\r\\n$3\\r\\nSET' | tee -a /data/appendonlydir/*.incr.aof;";
const MENDED = 'The append-only file of Redis ends within a write';

/** Stops all replicas of services, then starts them again. @throws if `path`, of another service, fails meanwhile */
export function stopAll(services: readonly string[], path: string): Change {
  return async ({ stack, target, scale }) => {
    const replicas = (await Promise.all(services.map((service) => stack.replicas(service)))).flat();
    await stack.docker(['stop', '--time', '25', ...replicas]);
    try {
      const problems: string[] = [];
      for (const end = Date.now() + NOTICED_MS; Date.now() < end; ) {
        const { status, problem } = await request(target, path);
        if (status !== 200) problems.push(problem);
      }
      requireNone(problems, 'reads failed');
    } finally {
      await stack.docker(['start', ...replicas]);
    }
    await Promise.all(services.map((service) => stack.waitHealthy(service, scale[service] ?? 1)));
    return `GET ${path} succeeded meanwhile`;
  };
}

/**
 * Kills Redis shortly after the last write, and within a write that is not acknowledged.
 * @throws if an agent is lost, the half write stays, or reads fail for longer than 90 s
 */
export async function killRedis({ stack, target }: Scene): Promise<string> {
  const before = await listAgentIds(target);
  await sleep(SYNCED_MS);
  const [redis = ''] = await stack.replicas('redis');
  const killed = Date.now();
  await stack.kill(redis, WRITE_HALF);
  // Each replica reconnects by itself, so one response is not enough.
  for (let inARow = 0; inARow < BACK_ANSWERS; ) {
    const { status, problem } = await request(target, '/agents?limit=1');
    inARow = status === 200 ? inARow + 1 : 0;
    if (Date.now() > killed + BACK_TIMEOUT_MS) throw new Error(`GET /agents is still ${problem}`);
    await sleep(20);
  }
  const backMs = Date.now() - killed;
  if (!(await stack.docker(['logs', redis])).includes(MENDED)) throw new Error('The half write stays');
  requireAll(before, await listAgentIds(target));
  return `${before.size} agents, reads succeeded again after ${(backMs / 1_000).toFixed(1)} s`;
}

/** Removes all containers and starts them again, with a variable. @throws if an agent is lost */
export function removeContainers(variable: readonly [string, string]): Change {
  return async ({ stack, target, scale }) => {
    const before = await listAgentIds(target);
    const began = Date.now();
    await stack.down();
    const downMs = Date.now() - began;
    await stack.setVariable(variable);
    await stack.up(scale);
    await stack.waitHealthy('load-balancer', 1);
    requireAll(before, await listAgentIds(target));
    return `${before.size} agents, removed within ${downMs} ms`;
  };
}
