import { isRedisAway, type RedisClient } from '@agent-fleet/shared/redis/connection';
import type { Fleet } from '../fleet/fleet.ts';
import type { Keys } from '../keys.ts';
import type { AgentTasks } from '../tasks/agent-tasks.ts';

/** How long a removed agent is remembered, so that a late change cannot put it back into the indexes. */
const REMEMBER_REMOVED_MS = 3_600_000;
/** Outbox entries, or removed agents, looked at in one sweep. */
const STEP = 500;

/** Makes whole what crashed changes left: the fleet follows the agents' records and events, which are the truth. */
export interface Repair {
  /**
   * Repairs agents of which changes older than `olderThanMs` are open; gives their number.
   * @throws AggregateError once all others are repaired, of what cannot be; it is tried again by the next sweep
   */
  run(olderThanMs: number): Promise<number>;
}

export function createRepair(redis: RedisClient, keys: Keys, fleet: Fleet, agentTasks: AgentTasks): Repair {
  async function repair(agentId: string): Promise<void> {
    await fleet.catchUp(agentId);
    if ((await redis.exists(keys.agent(agentId))) === 0) return agentTasks.purge(agentId);
    await agentTasks.retype(agentId);
    const pending = await agentTasks.requeue(agentId);
    await fleet.settle({ agentId, ready: pending });
  }

  async function forgetRemoved(): Promise<void> {
    const until = Date.now() - REMEMBER_REMOVED_MS;
    const agentIds = await redis.zrangebyscore(keys.removed, 0, until, 'LIMIT', 0, STEP);
    if (agentIds.length === 0) return;
    await redis.hdel(keys.agentPlaces, ...agentIds);
    await redis.zrem(keys.removed, ...agentIds);
  }

  return {
    async run(olderThanMs) {
      const until = Date.now() - olderThanMs;
      const entries = await redis.zrangebyscore(keys.outbox, 0, until, 'LIMIT', 0, STEP);
      const byAgent = Map.groupBy(entries, (entry) => entry.slice(0, entry.indexOf(' ')));
      const failures: unknown[] = [];
      for (const [agentId, ofAgent] of byAgent) {
        try {
          await repair(agentId);
          await redis.zrem(keys.outbox, ...ofAgent);
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
