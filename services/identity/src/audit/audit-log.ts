import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { connectRedis } from '@agent-fleet/shared/redis/connection';
import { isRedisUnavailable } from '@agent-fleet/shared/redis/errors';
import type { IdentityConfig } from '../config.ts';
import { Conflict } from '../redis/commit.ts';
import type { IdentityContext } from '../redis/context.ts';
import { createAuditTrail } from './audit-trail.ts';
import { createLogWriter } from './log-writer.ts';

/** Another replica continues so long after a crash. */
const LOCK_MS = 10_000;
const ASK_EVERY_MS = 1_000;
const MAX_BACKOFF_MS = 5_000;

/**
 * Writes each entry of the audit trail to the log, on one replica at a time, and removes old entries from the trail.
 * Each line has the hash of the one before. After a crash lines may be repeated, with the same hashes, but none is
 * missing.
 */
export function startAuditLog(config: Pick<IdentityConfig, 'redis' | 'audit'>, context: IdentityContext) {
  const { logger } = context;
  // XREAD blocks its connection.
  const reader = connectRedis(config.redis.url, logger);
  const trail = createAuditTrail(context, reader, { token: randomUUID(), lockMs: LOCK_MS });
  const writer = createLogWriter(trail, config.audit, logger);
  const closing = new AbortController();
  const { signal } = closing;
  const running = run();

  async function run(): Promise<void> {
    for (let failures = 0; !signal.aborted; ) {
      try {
        if (await trail.lock()) await writeUntilLost();
        else await pause(ASK_EVERY_MS);
        failures = 0;
      } catch (error) {
        if (signal.aborted) break;
        const level = isRedisUnavailable(error) ? 'debug' : 'warn';
        logger[level]({ err: error }, 'failed to write the audit log; retrying');
        await pause(Math.min(MAX_BACKOFF_MS, 100 * 2 ** failures++));
      }
    }
    // If this fails, the lock expires.
    await trail.unlock().catch(() => {});
  }

  async function writeUntilLost(): Promise<void> {
    try {
      while (!signal.aborted) await writer.step();
    } catch (error) {
      if (!(error instanceof Conflict)) throw error;
    }
  }

  async function pause(ms: number): Promise<void> {
    await sleep(ms, undefined, { signal }).catch(() => {});
  }

  return {
    async close(): Promise<void> {
      closing.abort();
      reader.disconnect();
      await running;
    },
  };
}
