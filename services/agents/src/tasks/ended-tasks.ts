import { isRedisUnavailable } from '@agent-fleet/shared/redis/errors';
import type { FleetContext } from '../redis/fleet-context.ts';
import type { ChangeTask } from './task-changer.ts';
import { isEnded, remove } from './task-rules.ts';

/** Ended tasks to remove concurrently. */
const TRIM_STEP = 20;

/** The result removes the oldest ended tasks of an agent that has too many, in steps. It never rejects. */
export function createTrimEnded({ redis, keys, logger, retention: { count } }: FleetContext, change: ChangeTask) {
  /** Agents being trimmed, and whether more of their tasks have ended since the last check. */
  const trimming = new Map<string, { isBehind: boolean }>();

  const removeEnded = (agentId: string, taskId: string) =>
    change(agentId, taskId, (stored) => (isEnded(stored.task) ? remove({ reason: 'retention' }) : undefined));

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
      const level = isRedisUnavailable(error) ? 'debug' : 'warn';
      logger[level]({ err: error, agent_id: agentId }, 'failed to remove ended tasks');
    } finally {
      trimming.delete(agentId);
    }
  };
}
