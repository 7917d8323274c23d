import type { RedisClient } from '@agent-fleet/shared/redis/connection';
import { until } from '@agent-fleet/shared/testing/until';
import type { Keys } from '../../src/keys.ts';
import type { Pass } from './model.ts';

/** A claimed timer moves by seconds, a completed one by more than this. */
const COMPLETED_MS = 60_000;
const EIGHT_DAYS_MS = 8 * 86_400_000;

/** Lets a deadline of one task pass by moving its stored times into the past. */
export function createTime(redis: RedisClient, keys: Keys) {
  return {
    /** Moves the deadline into the past, without a timer. */
    async overrun({ agentId, taskId, what }: Pass): Promise<void> {
      const past = Date.now() - 1;
      if (what === 'lease' || what === 'timeout') {
        await rewrite(keys.taskState(agentId, taskId), (state) => {
          const lease = state.lease as Record<string, number>;
          return { ...state, lease: { ...lease, expiresAt: past, ...(what === 'timeout' && { deadline: past }) } };
        });
      } else {
        await rewrite(keys.task(agentId, taskId), (task) => ({ ...task, ...timesOf(what, task, past) }));
      }
    },

    /** Triggers the timer; resolves when it has been handled. @throws Error after 60 s */
    async notice({ agentId, taskId }: Pass): Promise<void> {
      const timer = `${agentId} ${taskId}`;
      await redis.zadd(keys.timers, 'XX', Date.now(), timer);
      const isHandled = async () => {
        const [due, open] = await Promise.all([redis.zscore(keys.timers, timer), redis.zrange(keys.outbox, 0, '-1')]);
        const isCompleted = due === null || Number(due) > Date.now() + COMPLETED_MS;
        // Another replica may set the timer by applying the event; the change itself ends with its outbox entry.
        return isCompleted && !open.some((entry) => entry.startsWith(agentId));
      };
      await until(isHandled, { timeoutMs: 60_000, message: `the timer ${timer} is handled` });
    },
  };

  async function rewrite(
    key: string,
    change: (stored: Record<string, unknown>) => Record<string, unknown>,
  ): Promise<void> {
    const stored = JSON.parse((await redis.get(key)) as string);
    await redis.set(key, JSON.stringify(change(stored)));
  }
}

function timesOf(what: Pass['what'], task: Record<string, unknown>, past: number): Record<string, string> {
  const time = new Date(past).toISOString();
  if (what === 'expiry') return { expires_at: time };
  if (what === 'retention') return { completed_at: new Date(past - EIGHT_DAYS_MS).toISOString() };
  return {
    ...(task.scheduled_at !== null && { scheduled_at: time }),
    ...(task.next_attempt_at !== null && { next_attempt_at: time }),
  };
}
