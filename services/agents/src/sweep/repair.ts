import { isRedisUnavailable, type RedisClient } from '@agent-fleet/shared/redis/connection';
import type { Fleet } from '../fleet/fleet.ts';
import type { Keys } from '../keys.ts';
import type { AgentTasks } from '../tasks/agent-tasks.ts';

/** Lifetime of a tombstone: until then a late event cannot put a deleted agent back into the indexes. */
const TOMBSTONE_MS = 3_600_000;
/** Outbox entries, and tombstones, per sweep. */
const STEP = 500;

/**
 * Completes changes whose process crashed. The agents' records and events are the source of truth. The result repairs
 * agents with outbox entries older than `olderThanMs` and returns the number of entries.
 * @throws AggregateError of the repairs that failed, after all others; the next sweep retries them
 */
export function createRepair(redis: RedisClient, keys: Keys, fleet: Fleet, agentTasks: AgentTasks) {
  async function repair(agentId: string): Promise<void> {
    await fleet.catchUp(agentId);
    if ((await redis.exists(keys.agent(agentId))) === 0) return agentTasks.purge(agentId);
    await agentTasks.reindexType(agentId);
    const pending = await agentTasks.requeue(agentId);
    await fleet.complete({ agentId, ready: pending });
  }

  async function deleteOldTombstones(): Promise<void> {
    const until = Date.now() - TOMBSTONE_MS;
    const agentIds = await redis.zrangebyscore(keys.tombstones, 0, until, 'LIMIT', 0, STEP);
    if (agentIds.length === 0) return;
    await redis.hdel(keys.agentIndexEntries, ...agentIds);
    await redis.zrem(keys.tombstones, ...agentIds);
  }

  return async (olderThanMs: number): Promise<number> => {
    const until = Date.now() - olderThanMs;
    const entries = await redis.zrangebyscore(keys.outbox, 0, until, 'LIMIT', 0, STEP);
    const byAgent = Map.groupBy(entries, (entry) => entry.slice(0, entry.indexOf(' ')));
    const failures: unknown[] = [];
    for (const [agentId, ofAgent] of byAgent) {
      try {
        await repair(agentId);
        await redis.zrem(keys.outbox, ...ofAgent);
      } catch (error) {
        if (isRedisUnavailable(error)) throw error;
        failures.push(error);
      }
    }
    await deleteOldTombstones();
    if (failures.length > 0) throw new AggregateError(failures, `${failures.length} agents could not be repaired`);
    return entries.length;
  };
}
