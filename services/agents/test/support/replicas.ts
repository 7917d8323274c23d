import { join } from 'node:path';
import { type Child, startChild } from '@agent-fleet/scripts/local/child-process';
import { freePorts } from '@agent-fleet/scripts/local/ports';
import { until } from '@agent-fleet/shared/testing/until';
import { send } from './send.ts';

const MAIN = join(import.meta.dirname, '../../src/main.ts');
const SHIFT_CLOCK = join(import.meta.dirname, 'shift-clock.ts');
const READY_WITHIN_MS = 90_000;

interface Options {
  redisUrl: string;
  /** One process for each: how far its clock is ahead, in ms. */
  clocksMs: readonly number[];
  env?: NodeJS.ProcessEnv;
}

export type Replicas = Awaited<ReturnType<typeof startReplicas>>;

/** Starts replicas of the service as processes, which a test may kill. */
export async function startReplicas({ redisUrl, clocksMs, env }: Options) {
  const ports = Object.values(await freePorts(clocksMs.map((_, at) => `replica${at}`)));
  const children: Child[] = [];

  const isReady = async (port: number) => (await send(port, { method: 'GET', path: '/ready' })).status === 200;

  /** Resolves when the replica is ready, or has exited. */
  async function start(at: number): Promise<void> {
    const port = ports[at] as number;
    const child = startChild(process.execPath, ['--max-semi-space-size=4', '--import', SHIFT_CLOCK, MAIN], {
      env: {
        ...process.env,
        HOST: '127.0.0.1',
        PORT: String(port),
        LOG_LEVEL: 'fatal',
        REDIS_URL: redisUrl,
        CLOCK_SHIFT_MS: String(clocksMs[at]),
        ...env,
      },
      output: 'inherit',
    });
    children[at] = child;
    await until(async () => !child.isRunning() || (await isReady(port)), { timeoutMs: READY_WITHIN_MS, pollMs: 50 });
  }

  await Promise.all(clocksMs.map((_, at) => start(at)));
  return {
    ports,
    start,
    /** SIGKILL. */
    kill: async (at: number) => children[at]?.kill(),
    untilReady: () =>
      until(async () => (await Promise.all(ports.map(isReady))).every(Boolean), {
        timeoutMs: READY_WITHIN_MS,
        message: 'all replicas are ready',
      }),
    async close(): Promise<void> {
      await Promise.all(children.map((child) => child.kill()));
    },
  };
}
