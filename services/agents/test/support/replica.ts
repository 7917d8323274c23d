import { join } from 'node:path';
import { type Child, startChild } from '@agent-fleet/scripts/local/child-process';
import { freePort } from '@agent-fleet/scripts/local/ports';
import { until } from '@agent-fleet/shared/testing/until';

const MAIN = join(import.meta.dirname, '../../src/main.ts');

/** A process of the service. */
export interface Replica extends Child, AsyncDisposable {
  url: string;
  /** Resolves when it is ready, or has ended. */
  ready(): Promise<void>;
}

export async function startReplica(
  redisUrl: string,
  prefix: string,
  env: Record<string, string> = {},
): Promise<Replica> {
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const variables = {
    HOST: '127.0.0.1',
    PORT: String(port),
    METRICS_PORT: '0',
    REDIS_URL: redisUrl,
    REDIS_PREFIX: prefix,
    LOG_LEVEL: 'warn',
  };
  const child = startChild(process.execPath, [MAIN], { env: { ...process.env, ...variables, ...env } });
  const isReady = async () => !child.isRunning() || (await fetch(`${url}/ready`)).ok;
  return {
    ...child,
    url,
    ready: async () => void (await until(isReady, { timeoutMs: 60_000 })),
    [Symbol.asyncDispose]: child.kill,
  };
}
