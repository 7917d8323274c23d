import { HttpError } from '@agent-fleet/shared/errors';
import type { Logger } from '@agent-fleet/shared/logger';
import { isRedisAway, type RedisClient } from '@agent-fleet/shared/redis';
import type { Keys } from '../keys.ts';
import type { TaskChanges } from './task-changes.ts';
import { isEnded, remove } from './task-rules.ts';

/** Ended tasks over their number that are removed at once. */
const TRIM_STEP = 20;

/** Removes the oldest ended tasks of an agent that has more than `count`, in steps. Never rejects. */
export type TrimEnded = (agentId: string) => Promise<void>;

interface Dependencies {
  redis: RedisClient;
  keys: Keys;
  change: TaskChanges['change'];
  count: number;
  logger: Logger;
}

export function createTrimEnded({ redis, keys, change, count, logger }: Dependencies): TrimEnded {
  const trimming = new Set<string>();

  async function removeEnded(agentId: string, taskId: string): Promise<void> {
    try {
      await change(agentId, taskId, (stored) =>
        isEnded(stored.task) ? remove(stored, { reason: 'retention' }) : undefined,
      );
    } catch (error) {
      // Somebody else has removed it.
      if (!(error instanceof HttpError && error.status === 404)) throw error;
    }
  }

  return async (agentId) => {
    if (trimming.has(agentId)) return;
    trimming.add(agentId);
    try {
      for (;;) {
        const over = (await redis.zcard(keys.ended(agentId))) - count;
        if (over <= 0) return;
        const oldest = await redis.zrange(keys.ended(agentId), 0, `${Math.min(over, TRIM_STEP) - 1}`);
        await Promise.all(oldest.map((taskId) => removeEnded(agentId, taskId)));
      }
    } catch (error) {
      logger[isRedisAway(error) ? 'debug' : 'warn']({ err: error, agent_id: agentId }, 'ended tasks are not removed');
    } finally {
      trimming.delete(agentId);
    }
  };
}
