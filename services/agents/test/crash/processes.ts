import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { freePort } from '@agent-fleet/scripts/local/ports';

const MAIN = join(import.meta.dirname, '../../src/main.ts');
const READY_WITHIN_MS = 90_000;

/** A process of the service that can be killed at any moment, and be started again on the same port. */
export interface Replica {
  url: string;
  /** Ends it with SIGKILL, at once. */
  kill(): Promise<void>;
  /** Resolves when it answers. */
  start(): Promise<void>;
  isReady(): Promise<boolean>;
}

export async function createReplica(env: NodeJS.ProcessEnv): Promise<Replica> {
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  let child: ChildProcess | undefined;

  const isReady = () =>
    fetch(`${url}/ready`, { signal: AbortSignal.timeout(10_000) }).then(
      ({ ok }) => ok,
      () => false,
    );

  return {
    url,
    isReady,

    async kill() {
      if (!child || child.exitCode !== null || child.signalCode !== null) return;
      const exited = once(child, 'exit');
      child.kill('SIGKILL');
      await exited;
    },

    async start() {
      child = spawn(process.execPath, ['--max-semi-space-size=4', MAIN], {
        env: { ...process.env, HOST: '127.0.0.1', PORT: String(port), LOG_LEVEL: 'fatal', ...env },
        stdio: ['ignore', 'inherit', 'inherit'],
      });
      for (const until = Date.now() + READY_WITHIN_MS; Date.now() < until; await sleep(50)) {
        if (child.exitCode !== null || child.signalCode !== null || (await isReady())) return;
      }
    },
  };
}

/** Resolves when all of them answer. @throws Error when one does not */
export async function untilAllReady(replicas: readonly Replica[]): Promise<void> {
  for (const until = Date.now() + READY_WITHIN_MS; Date.now() < until; await sleep(100)) {
    if ((await Promise.all(replicas.map(({ isReady }) => isReady()))).every(Boolean)) return;
  }
  throw new Error('A replica does not become ready');
}
