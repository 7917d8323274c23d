import { join } from 'node:path';
import { type Child, startChild } from '@agent-fleet/scripts/local/child-process';
import { freePort } from '@agent-fleet/scripts/local/ports';
import { until } from '@agent-fleet/shared/testing/until';

const MAIN = join(import.meta.dirname, '../../src/main.ts');
const READY_WITHIN_MS = 90_000;

/** A process of the service that can be killed and started again on the same port. */
export interface ReplicaProcess {
  url: string;
  /** Kills the process by SIGKILL. */
  kill(): Promise<void>;
  /** Resolves when the process is ready, or has exited. */
  start(): Promise<void>;
  isReady(): Promise<boolean>;
}

export async function createReplicaProcess(env: NodeJS.ProcessEnv): Promise<ReplicaProcess> {
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  let child: Child | undefined;

  const isReady = () =>
    fetch(`${url}/ready`, { signal: AbortSignal.timeout(10_000) }).then(
      ({ ok }) => ok,
      () => false,
    );

  return {
    url,
    isReady,

    async kill() {
      await child?.kill();
    },

    async start() {
      child = startChild(process.execPath, ['--max-semi-space-size=4', MAIN], {
        env: { ...process.env, HOST: '127.0.0.1', PORT: String(port), LOG_LEVEL: 'fatal', ...env },
        output: 'inherit',
      });
      await until(async () => !child?.isRunning() || (await isReady()), { timeoutMs: READY_WITHIN_MS, pollMs: 50 });
    },
  };
}

/** Resolves when all replicas are ready. @throws Error after 90 s */
export async function untilAllReady(replicas: readonly ReplicaProcess[]): Promise<void> {
  const areReady = async () => (await Promise.all(replicas.map(({ isReady }) => isReady()))).every(Boolean);
  await until(areReady, { timeoutMs: READY_WITHIN_MS, pollMs: 100, message: 'all replicas are ready' });
}
