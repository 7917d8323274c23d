import { setTimeout as sleep } from 'node:timers/promises';
import { requestMany, type Target } from './load.ts';
import type { Stack } from './stack.ts';
import type { Change } from './under-load.ts';

const REQUESTS = 600;
/** Host names are resolved every few seconds, and a new replica of the gateway starts slowly. */
const SPREAD_TIMEOUT_MS = 90_000;

/** Requests of `path` reach all replicas. @throws if a replica gets less than half of its fair share */
export function spread(service: string, path: string): Change {
  return async ({ stack, target }) => {
    const deadline = Date.now() + SPREAD_TIMEOUT_MS;
    for (;;) {
      const shares = await measureShares(stack, service, target, path);
      const seen = shares.map((share) => `${Math.round(share * 100)} %`).join(', ');
      if (shares.every((share) => share > 0.5 / shares.length)) return seen;
      if (Date.now() > deadline) throw new Error(seen);
      await sleep(1_000);
    }
  };
}

/**
 * Returns each replica's share, from 0 to 1, of the bytes that the containers of a service receive during many GETs of
 * `path`. The kernel counts the bytes, so the services need no support for it; health checks use the loopback interface
 * and do not count.
 */
async function measureShares(stack: Stack, service: string, target: Target, path: string): Promise<number[]> {
  const replicas = await stack.replicas(service);
  const count = () => Promise.all(replicas.map((id) => receivedBytes(stack, id)));
  const before = await count();
  const failed = (await requestMany(target, path, REQUESTS)).find(({ status }) => status !== 200);
  if (failed) throw new Error(`GET ${path}: ${failed.problem}`);
  const after = await count();
  const received = after.map((bytes, index) => bytes - (before[index] ?? 0));
  const total = received.reduce((sum, bytes) => sum + bytes, 0);
  return received.map((bytes) => bytes / total);
}

async function receivedBytes(stack: Stack, id: string): Promise<number> {
  const lines = (await stack.exec(id, ['cat', '/proc/net/dev'])).split('\n');
  const outside = lines.filter((line) => /^\s*eth\d+:/.test(line));
  return outside.reduce((sum, line) => sum + Number(/:\s*(\d+)/.exec(line)?.[1]), 0);
}
