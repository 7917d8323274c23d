import { randomUUID } from 'node:crypto';
import { isRedisAway, type RedisClient } from '@agent-fleet/shared/redis';
import type { Keys } from '../keys.ts';
import { loadScript } from '../redis-script.ts';
import { TASK_STATUSES } from '../tasks/task.ts';

/** How long a removed agent is remembered, so that a late write cannot put it back into the indexes. */
const REMEMBER_REMOVED_MS = 3_600_000;
/** Tasks deleted in one step. */
const PURGE_STEP = 500;
/** Outbox entries, or removed agents, looked at in one sweep. */
const SWEEP_STEP = 500;

/** The fleet-wide indexes of agents: they follow the agents' records, which are the truth. */
export interface AgentIndex {
  /**
   * Runs a change of an agent's record and then brings the indexes up to it. An outbox entry stands from before the change until
   * after the indexes, so a crash in between is repaired by `sweep`.
   */
  follow<T>(agentId: string, change: () => Promise<T>): Promise<T>;
  /**
   * Repairs what crashed changes older than `olderThanMs` left; gives their number.
   * @throws AggregateError once all others are repaired, of what cannot be; it is tried again by the next sweep
   */
  sweep(olderThanMs: number): Promise<number>;
}

export function createAgentIndex(redis: RedisClient, keys: Keys): AgentIndex {
  const place = loadScript(redis, new URL('./place-agent-3.lua', import.meta.url));
  const placeKeys = [keys.placements, keys.removed, keys.agents()];

  async function reconcile(agentId: string): Promise<void> {
    const [record, version] = await redis.mget([keys.agent(agentId), keys.agentVersion(agentId)]);
    if (record) {
      const { status, type } = JSON.parse(record) as { status: string; type: string };
      await place(placeKeys, [agentId, Date.now(), version ?? 0, status, type]);
      return;
    }
    await place(placeKeys, [agentId, Date.now()]);
    await purgeTasks(agentId);
  }

  /** In steps, so that no other command waits for an agent with a million tasks. */
  async function purgeTasks(agentId: string): Promise<void> {
    for (;;) {
      const taskIds = await redis.zrange(keys.tasks(agentId), 0, `${PURGE_STEP - 1}`);
      if (taskIds.length === 0) break;
      await redis.unlink(taskIds.map((taskId) => keys.task(agentId, taskId)));
      await redis.zrem(keys.tasks(agentId), ...taskIds);
    }
    await redis.unlink(TASK_STATUSES.map((status) => keys.tasks(agentId, status)));
  }

  async function forgetRemoved(): Promise<void> {
    const until = Date.now() - REMEMBER_REMOVED_MS;
    const agentIds = await redis.zrangebyscore(keys.removed, 0, until, 'LIMIT', 0, SWEEP_STEP);
    if (agentIds.length === 0) return;
    await redis.hdel(keys.placements, ...agentIds);
    await redis.zrem(keys.removed, ...agentIds);
  }

  return {
    async follow(agentId, change) {
      const entry = `${agentId} ${randomUUID()}`;
      await redis.zadd(keys.outbox, Date.now(), entry);
      const result = await change();
      await reconcile(agentId);
      await redis.zrem(keys.outbox, entry);
      return result;
    },

    async sweep(olderThanMs) {
      const until = Date.now() - olderThanMs;
      const entries = await redis.zrangebyscore(keys.outbox, 0, until, 'LIMIT', 0, SWEEP_STEP);
      const failures: unknown[] = [];
      for (const entry of entries) {
        try {
          await reconcile(entry.slice(0, entry.indexOf(' ')));
          await redis.zrem(keys.outbox, entry);
        } catch (error) {
          if (isRedisAway(error)) throw error;
          failures.push(error);
        }
      }
      await forgetRemoved();
      if (failures.length > 0) throw new AggregateError(failures, `${failures.length} agents cannot be repaired`);
      return entries.length;
    },
  };
}
