import type { Logger } from '@agent-fleet/shared/logger';
import { connectRedis } from '@agent-fleet/shared/redis/connection';
import type { Barrier } from '@agent-fleet/shared/redis/replicated-writes';

const WAIT_MS = 500;
const COMMAND_TIMEOUT_MS = 2_000;
const UNKNOWN_COMMAND = /unknown command|unknown subcommand/i;

/**
 * Waits until the writes so far are on the disk of Redis, for at most 500 ms: `WAITAOF 1 0 500`, where the server knows
 * it (7.2). It waits for the writes of its own connection only, so that it makes one: an append-only file is in order.
 * Callers at the same time share a wait. On older servers, only `appendfsync always` gives the same. `barrier` is for
 * what was taken away before, by another request.
 */
export function createDurable(redisUrl: string, key: string, barrier: Barrier, logger: Logger) {
  const redis = connectRedis(redisUrl, logger, { commandTimeout: COMMAND_TIMEOUT_MS });
  let isKnown = !redis.isCluster;
  let next: Promise<void> | undefined;
  let running: Promise<void> = Promise.resolve();

  async function wait(): Promise<void> {
    try {
      await redis.set(key, '1', 'PX', 60_000);
      await redis.call('WAITAOF', 1, 0, WAIT_MS);
    } catch (error) {
      if (UNKNOWN_COMMAND.test(String(error))) isKnown = false;
      else logger.debug({ err: error }, 'failed to wait for the disk of Redis');
    }
  }

  return {
    async durable(): Promise<void> {
      await barrier();
      if (!isKnown) return;
      next ??= running.then(() => {
        next = undefined;
        running = wait();
        return running;
      });
      await next;
    },
    close: () => redis.disconnect(),
  };
}

export type Durable = ReturnType<typeof createDurable>['durable'];
