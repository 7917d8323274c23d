import { setTimeout as sleep } from 'node:timers/promises';
import { createIdentityKeys } from '@agent-fleet/access/keys';
import type { Logger } from '@agent-fleet/shared/logger';
import { connectRedis, type RedisClient } from '@agent-fleet/shared/redis/connection';
import { masterOf, masterOfMost } from '@agent-fleet/shared/redis/newest-master';
import { ReplicatedWrites } from '@agent-fleet/shared/redis/replicated-writes';

const EVERY_MS = 1_000;
/** How long without a proof before what Redis says is not believed any more. */
const MAX_MS = 30_000;

/** Settings of Redis: `minReplicas` is how many replicas have each write. */
interface RedisSettings {
  url: string;
  prefix: string;
  minReplicas: number;
}

/**
 * Proves each second that `readers` read the present master. A former master that is cut off does not know what was
 * revoked since. The proof is a write that `minReplicas` replicas have: those of a former master are too few. While
 * replicas are lost or Redis is full, most of the sentinels name the master. Nothing to prove without a minimum of
 * replicas, nor in a cluster, whose masters refuse everything when they are cut off from the other ones.
 */
export function provePrimary({ url, prefix, minReplicas }: RedisSettings, readers: RedisClient[], logger: Logger) {
  const redis = minReplicas > 0 ? connectRedis(url, logger) : undefined;
  const { replicated } = createIdentityKeys(prefix);
  const closing = new AbortController();
  /** Until when there is a proof of the last 30 s. */
  const proof = { untilMs: performance.now() + MAX_MS };
  if (!redis || redis.isCluster) proof.untilMs = Number.POSITIVE_INFINITY;
  else void proveAgain(redis, new ReplicatedWrites(redis, { minReplicas, barrierKey: replicated }));

  async function findMaster(writer: RedisClient, writes: ReplicatedWrites): Promise<string | undefined> {
    try {
      await writes.barrier();
      return masterOf(writer);
    } catch (error) {
      const master = await masterOfMost(writer);
      if (master === undefined) throw error;
      return master;
    }
  }

  async function prove(writer: RedisClient, writes: ReplicatedWrites): Promise<void> {
    const nowMs = performance.now();
    const master = await findMaster(writer, writes);
    const others = readers.filter((reader) => masterOf(reader) !== master);
    // Another attempt to connect goes on.
    for (const reader of others) if (reader.status === 'ready') reader.disconnect(true);
    if (others.length === 0) proof.untilMs = nowMs + MAX_MS;
  }

  async function proveAgain(writer: RedisClient, writes: ReplicatedWrites): Promise<void> {
    while (!closing.signal.aborted) {
      await prove(writer, writes).catch((error: unknown) => {
        logger.debug({ err: error }, 'failed to prove that Redis is the present master; retrying');
      });
      await sleep(EVERY_MS, undefined, { signal: closing.signal }).catch(() => {});
    }
  }

  return {
    proof,
    close() {
      closing.abort();
      redis?.disconnect();
    },
  };
}
