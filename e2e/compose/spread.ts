import { requestMany, type Target } from './load.ts';
import type { Stack } from './stack.ts';

const REQUESTS = 600;

/**
 * Returns each replica's share, from 0 to 1, of the bytes that the containers of a service receive during many GETs of
 * `path`. The kernel counts the bytes, so the services need no support for it; health checks use the loopback interface
 * and do not count.
 */
export async function measureShares(stack: Stack, service: string, target: Target, path: string): Promise<number[]> {
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
