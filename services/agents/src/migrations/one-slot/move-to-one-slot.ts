import type { RedisClient } from '@agent-fleet/shared/redis/connection';
import { Cluster } from 'ioredis';
import type { Write } from '../lock.ts';
import { createMoveAgent } from './agents.ts';
import { createFleetEvents } from './fleet-events.ts';
import { createMoveReply } from './idempotency.ts';
import { type Context, newKeys, oldKeys } from './keys.ts';

const KEYS_PER_SCAN = 1_000;
/** Agents, or replies, moved concurrently. */
const CONCURRENCY = 16;

/**
 * From version 1.0, which spread agents over the slots of a Redis Cluster, to layout 1, in which all keys of a fleet
 * share one slot. The agents' own keys are the truth; 1.0's indexes, timers and queues are built anew from them. Data
 * is copied in steps, and each step deletes its source after its copy is written.
 */
export async function moveToOneSlot(redis: RedisClient, prefix: string, write: Write): Promise<void> {
  const context: Context = { redis, old: oldKeys(prefix), keys: newKeys(prefix), write };
  if (!(await hasOldData(context))) return;
  await write([['HSET', context.keys.progress, 'to', 1]]);
  const fleetEvents = createFleetEvents(context);
  const moveAgent = createMoveAgent(context, fleetEvents);

  await fleetEvents.copy();
  await moveAll(/^[0-9a-f]{8}-[0-9a-f-]{27}$/, moveAgent);
  await moveAll(/^[0-9a-f]{64}$/, createMoveReply(context));
  // The turns of agents are times in ms so far.
  await write([['SET', context.keys.of('turns'), Date.now()]]);
  await moveAll(/^fleet$/, async () => {});
  await write([['DEL', context.keys.progress]]);

  /** Moves what has a hash tag of this form, then deletes its remaining keys. */
  async function moveAll(form: RegExp, move: (tag: string) => Promise<void>): Promise<void> {
    for await (const found of scan(redis, `${prefix}:{*`)) {
      const byTag = Map.groupBy(found, (key) => key.slice(prefix.length + 2, key.indexOf('}')));
      const groups = [...byTag].filter(([tag]) => form.test(tag));
      for (let at = 0; at < groups.length; at += CONCURRENCY) {
        await Promise.all(
          groups.slice(at, at + CONCURRENCY).map(async ([tag, rest]) => {
            await move(tag);
            await Promise.all(rest.map((key) => redis.unlink(key)));
          }),
        );
      }
    }
  }
}

/** Whether there is data of 1.0, or a migration of it was interrupted. */
async function hasOldData({ redis, old, keys }: Context): Promise<boolean> {
  // Each replica of 1.0 creates the settings of the sweep's queue at its start.
  const names = ['sweep:meta', 'seq', 'outbox'].map(old.fleet);
  return (await redis.exists(keys.progress)) === 1 || (await redis.exists(names)) > 0;
}

async function* scan(redis: RedisClient, pattern: string): AsyncGenerator<string[]> {
  for (const node of redis instanceof Cluster ? redis.nodes('master') : [redis]) {
    let cursor = '0';
    do {
      const [next, found] = await node.scan(cursor, 'MATCH', pattern, 'COUNT', KEYS_PER_SCAN);
      yield found;
      cursor = next;
    } while (cursor !== '0');
  }
}
