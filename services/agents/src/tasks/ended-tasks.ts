import { HttpError } from '@agent-fleet/shared/http/errors';
import type { Logger } from '@agent-fleet/shared/logger';
import { isRedisUnavailable, type RedisClient } from '@agent-fleet/shared/redis/connection';
import type { Keys } from '../keys.ts';
import { isEnded, remove } from './task-rules.ts';
import type { StoredTask, TaskChange } from './task-transitions.ts';

/** Ended tasks to remove concurrently. */
const TRIM_STEP = 20;

interface Dependencies {
  redis: RedisClient;
  keys: Keys;
  /** Of the task writer. */
  change(agentId: string, taskId: string, rule: (stored: StoredTask) => TaskChange | undefined): Promise<unknown>;
  count: number;
  logger: Logger;
}

/** The result removes the oldest ended tasks of an agent that has more than `count`, in steps. It never rejects. */
export function createTrimEnded({ redis, keys, change, count, logger }: Dependencies) {
  /** Agents being trimmed, and whether more of their tasks have ended since the last check. */
  const trimming = new Map<string, { isBehind: boolean }>();

  async function removeEnded(agentId: string, taskId: string): Promise<void> {
    try {
      await change(agentId, taskId, (stored) =>
        isEnded(stored.task) ? remove(stored, { reason: 'retention' }) : undefined,
      );
    } catch (error) {
      // Already removed.
      if (!(error instanceof HttpError && error.status === 404)) throw error;
    }
  }

  async function trim(agentId: string): Promise<void> {
    for (;;) {
      // One command: after a separate count, removals by other replicas would shift the range into tasks to be kept.
      const over = await redis.zrevrange(keys.ended(agentId), count, count + TRIM_STEP - 1);
      if (over.length === 0) return;
      await Promise.all(over.map((taskId) => removeEnded(agentId, taskId)));
    }
  }

  return async (agentId: string): Promise<void> => {
    const running = trimming.get(agentId);
    if (running) {
      running.isBehind = true;
      return;
    }
    const current = { isBehind: true };
    trimming.set(agentId, current);
    try {
      while (current.isBehind) {
        current.isBehind = false;
        await trim(agentId);
      }
    } catch (error) {
      logger[isRedisUnavailable(error) ? 'debug' : 'warn'](
        { err: error, agent_id: agentId },
        'failed to remove ended tasks',
      );
    } finally {
      trimming.delete(agentId);
    }
  };
}
