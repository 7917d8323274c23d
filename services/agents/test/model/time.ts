import { setTimeout as sleep } from 'node:timers/promises';
import type { RedisClient } from '@agent-fleet/shared/redis/connection';
import type { Keys } from '../../src/keys.ts';
import type { Model } from './model.ts';
import type { Operation, Passing } from './operations.ts';

type Pass = Extract<Operation, { kind: 'pass' }>;

const LOOK_EVERY_MS = 8;
const NOTICED_WITHIN_MS = 60_000;
/** A timer that is claimed is put off by seconds, one that is settled by more than this. */
const SETTLED_MS = 60_000;
const EIGHT_DAYS_MS = 8 * 86_400_000;

/** Lets time pass for one task: the times that are stored go back instead of the clock forward. */
export function createTime(redis: RedisClient, keys: Keys) {
  return {
    /** From here on it is late; nobody has noticed. */
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

    /** The timer goes off; resolves when it has been seen to. @throws Error when nobody does */
    async notice({ agentId, taskId }: Pass): Promise<void> {
      const timer = `${agentId} ${taskId}`;
      await redis.zadd(keys.timers, 'XX', Date.now(), timer);
      for (const until = Date.now() + NOTICED_WITHIN_MS; Date.now() < until; ) {
        const [due, open] = await Promise.all([redis.zscore(keys.timers, timer), redis.zrange(keys.outbox, 0, '-1')]);
        const isSettled = due === null || Number(due) > Date.now() + SETTLED_MS;
        // The timer is set with the event, which others may bring: the change itself goes on until its entry is closed.
        if (isSettled && !open.some((entry) => entry.startsWith(agentId))) return;
        await sleep(LOOK_EVERY_MS);
      }
      throw new Error(`Nobody notices that time has passed for ${timer}`);
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

function timesOf(what: Passing, task: Record<string, unknown>, past: number): Record<string, string> {
  const time = new Date(past).toISOString();
  if (what === 'expiry') return { expires_at: time };
  if (what === 'retention') return { completed_at: new Date(past - EIGHT_DAYS_MS).toISOString() };
  return {
    ...(task.scheduled_at !== null && { scheduled_at: time }),
    ...(task.next_attempt_at !== null && { next_attempt_at: time }),
  };
}

/** The same in the model. */
export function overrunModel(model: Model, { agentId, taskId, what }: Pass): void {
  const task = model.agents.find(({ id }) => id === agentId)?.tasks.find(({ id }) => id === taskId);
  if (!task) return;
  if (what === 'lease' || what === 'timeout') {
    if (task.lease) task.lease.overdue = what;
  } else {
    task.due = what;
    task.version += 1;
  }
}
