import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from '@agent-fleet/shared/logger';
import { StartError } from '@agent-fleet/shared/process';
import { type RedisClient, waitForRedis } from '@agent-fleet/shared/redis/connection';
import { isRedisUnavailable } from '@agent-fleet/shared/redis/errors';
import { addTaskFields } from './add-task-fields.ts';
import { indexByWorker } from './index-by-worker.ts';
import { LockLost, type Write, withLock } from './lock.ts';
import { moveToOneSlot } from './one-slot/move-to-one-slot.ts';

/**
 * Brings the data from the layout before to its own. It can be interrupted at any point and called again. No other
 * process changes the data meanwhile.
 */
type Migration = (redis: RedisClient, prefix: string, write: Write) => Promise<void>;

/** What the end of a task becomes. */
const AGENT_FIELDS =
  ',"skills":null,"workspace":null,"model":null,"output_schema":null,"max_cost":null,"continue_of":null,"usage":null,"cost":null}';
const TRACEPARENT = ',"traceparent":null}';

/** In order: the first one leads to layout 1. Never change one that is released; add the next. */
const MIGRATIONS: readonly Migration[] = [
  moveToOneSlot,
  indexByWorker,
  addTaskFields(AGENT_FIELDS),
  addTaskFields(TRACEPARENT),
];
const LAYOUT = MIGRATIONS.length;
/** Lifetime of the lock after a crash of its holder. */
const LOCK_MS = 10_000;
const POLL_MS = 250;
/** How long a replica waits for another one that migrates. */
const WAIT_MS = 3_600_000;

/**
 * Brings older data to the present layout: once, by one replica, while the others wait here. Call it before anything
 * else uses the data. It waits while Redis is unavailable, until `redis` is disconnected.
 * @throws StartError when the layout is newer than this program, or another replica migrates for an hour
 */
export async function migrate(redis: RedisClient, prefix: string, logger: Logger): Promise<void> {
  let waitedMs = 0;
  // The connection is still being made: without this, the first try would fail and cost a pause.
  await waitForRedis(redis, POLL_MS).catch(() => {});
  for (;;) {
    const outcome = await tryMigrating(redis, prefix, logger);
    if (outcome === 'done') return;
    if (outcome === 'locked') waitedMs += POLL_MS;
    if (waitedMs > WAIT_MS) throw new StartError(`Another replica still migrates the data after ${WAIT_MS} ms`);
    await sleep(POLL_MS);
  }
}

type Outcome = 'done' | 'locked' | 'unavailable';

async function tryMigrating(redis: RedisClient, prefix: string, logger: Logger): Promise<Outcome> {
  const layoutKey = `${prefix}:{default}:layout`;

  async function run(write: Write): Promise<void> {
    for (let layout = await readLayout(redis, layoutKey); layout < LAYOUT; layout++) {
      const began = Date.now();
      await (MIGRATIONS[layout] as Migration)(redis, prefix, write);
      await write([['SET', layoutKey, layout + 1]]);
      logger.info({ layout: layout + 1, ms: Date.now() - began }, 'migrated the data');
    }
  }

  try {
    if ((await readLayout(redis, layoutKey)) === LAYOUT) return 'done';
    return (await withLock(redis, `${prefix}:{default}:migrating`, LOCK_MS, run)) ? 'done' : 'locked';
  } catch (error) {
    if (error instanceof LockLost) return 'locked';
    if (isRedisUnavailable(error) && redis.status !== 'end') return 'unavailable';
    throw error;
  }
}

/** Returns 0 for the data of version 1.0, and when there is none. */
async function readLayout(redis: RedisClient, key: string): Promise<number> {
  const layout = Number((await redis.get(key)) ?? 0);
  if (layout <= LAYOUT) return layout;
  throw new StartError(
    `The data in Redis has layout ${layout} (${key}), and this version knows layouts up to ${LAYOUT}: ` +
      'start the version that wrote it or a newer one, or restore a backup from before the upgrade',
  );
}
