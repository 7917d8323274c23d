import { join } from 'node:path';
import { type Child, startChild } from '@agent-fleet/scripts/local/child-process';
import { freePorts } from '@agent-fleet/scripts/local/ports';
import { own } from '@agent-fleet/scripts/testing/own';
import { startTestRedis } from '@agent-fleet/scripts/testing/test-redis';
import { until } from '@agent-fleet/shared/testing/until';
import { Redis } from 'ioredis';
import supertest from 'supertest';
import { createKeys } from '../../src/redis/keys.ts';
import { createClient } from './client.ts';
import { COUNTED } from './quotas.ts';
import { send } from './send.ts';

const MAIN = join(import.meta.dirname, '../../src/main.ts');
const SHIFT_CLOCK = join(import.meta.dirname, 'shift-clock.ts');
const READY_WITHIN_MS = 90_000;

/**
 * Starts a Redis and replicas of the service on it as processes, all of which a test may kill. They end with the test
 * or file. `clocksMs` says for each replica how far its clock is ahead; `env` are further variables of each.
 */
export async function startReplicas(clocksMs: readonly number[], env: NodeJS.ProcessEnv = {}) {
  const ports = Object.values(await freePorts(clocksMs.map((_, at) => `replica${at}`)));
  // With `everysec`, Redis loses writes that it has acknowledged if it is killed while the disk is slow (ADR 8).
  const ownRedis = await startTestRedis({ args: ['--appendfsync', 'always'] });
  const redis = new Redis(ownRedis.url);
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
        METRICS_PORT: '0',
        LOG_LEVEL: 'fatal',
        REDIS_URL: ownRedis.url,
        CLOCK_SHIFT_MS: String(clocksMs[at]),
        ...COUNTED,
        ...env,
      },
    });
    children[at] = child;
    await until(async () => !child.isRunning() || (await isReady(port)), { timeoutMs: READY_WITHIN_MS, pollMs: 50 });
  }

  own(async () => {
    redis.disconnect();
    await Promise.all(children.map((child) => child.kill()));
    await ownRedis.close();
  });
  await Promise.all(clocksMs.map((_, at) => start(at)));
  const toClient = (port: number) => {
    const http = supertest(`http://127.0.0.1:${port}`);
    return { ...createClient(http), http };
  };
  return {
    ports,
    clients: ports.map(toClient),
    ownRedis,
    /** A separate connection for the test. */
    redis,
    keys: createKeys('fleet'),
    start,
    /** SIGKILL. */
    kill: async (at: number) => children[at]?.kill(),
    /** What a replica has printed. */
    printed: (at: number) => children[at]?.printed() ?? '',
    untilReady: () =>
      until(async () => (await Promise.all(ports.map(isReady))).every(Boolean), {
        timeoutMs: READY_WITHIN_MS,
        message: 'all replicas are ready',
      }),
  };
}
