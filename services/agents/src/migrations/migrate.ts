import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from '@agent-fleet/shared/logger';
import { StartError } from '@agent-fleet/shared/process';
import { isRedisUnavailable } from '@agent-fleet/shared/redis/errors';
import type { RedisReads, RedisStore } from '@agent-fleet/shared/redis/store';
import { LockLost, type Write, withLock } from './lock.ts';

/**
 * Brings the data from the layout before to its own. It can be interrupted at any point and called again. No other
 * process changes the data meanwhile.
 */
export type Migration = (redis: RedisReads, prefix: string, write: Write) => Promise<void>;

/** In order: the first one leads from layout 1 to 2. Never change one that is released; add the next. */
const MIGRATIONS: readonly Migration[] = [];
/** The layout without any migration. An empty database has it. */
const FIRST_LAYOUT = 1;
/** The number that this layout had before: a fleet whose data has it still starts. */
const FORMER_FIRST_LAYOUT = 4;
/** Lifetime of the lock after a crash of its holder. */
const LOCK_MS = 10_000;
const POLL_MS = 250;
/** How long a replica waits for another one that migrates. */
const WAIT_MS = 3_600_000;

/**
 * Brings older data to the present layout: once, by one replica, while the others wait here. Call it before anything
 * else uses the data. It waits while Redis is unavailable, until the store is closed.
 * @throws StartError when the layout is newer than this program, or another replica migrates for an hour
 */
export async function migrate(
  store: RedisStore,
  prefix: string,
  logger: Logger,
  migrations: readonly Migration[] = MIGRATIONS,
): Promise<void> {
  let waitedMs = 0;
  for (;;) {
    const outcome = await tryMigrating(store, prefix, logger, migrations);
    if (outcome === 'done') return;
    if (outcome === 'locked') waitedMs += POLL_MS;
    if (waitedMs > WAIT_MS) throw new StartError(`Another replica still migrates the data after ${WAIT_MS} ms`);
    await sleep(POLL_MS);
  }
}

type Outcome = 'done' | 'locked' | 'unavailable';

async function tryMigrating(
  store: RedisStore,
  prefix: string,
  logger: Logger,
  migrations: readonly Migration[],
): Promise<Outcome> {
  const { redis } = store;
  const layoutKey = `${prefix}:{default}:layout`;
  const newest = FIRST_LAYOUT + migrations.length;

  async function run(write: Write): Promise<void> {
    const found = await readLayout(redis, layoutKey, newest);
    for (let layout = found ?? FIRST_LAYOUT; layout < newest; layout++) {
      const began = Date.now();
      await (migrations[layout - FIRST_LAYOUT] as Migration)(redis, prefix, write);
      await write([['SET', layoutKey, layout + 1]]);
      logger.info({ layout: layout + 1, ms: Date.now() - began }, 'migrated the data');
    }
    if (found === undefined) await write([['SET', layoutKey, newest]]);
  }

  try {
    if ((await readLayout(redis, layoutKey, newest)) === newest) return 'done';
    return (await withLock(store, `${prefix}:{default}:migrating`, LOCK_MS, run)) ? 'done' : 'locked';
  } catch (error) {
    if (error instanceof LockLost) return 'locked';
    if (isRedisUnavailable(error) && redis.status !== 'end') return 'unavailable';
    throw error;
  }
}

/** Undefined when no number is stored. @throws StartError for a layout that is newer than `newest` */
async function readLayout(redis: RedisReads, key: string, newest: number): Promise<number | undefined> {
  const text = await redis.get(key);
  if (text === null || (Number(text) === FORMER_FIRST_LAYOUT && newest < FORMER_FIRST_LAYOUT)) return undefined;
  const layout = Number(text);
  if (layout <= newest) return layout;
  throw new StartError(
    `The data in Redis has layout ${layout} (${key}), and this version knows layouts up to ${newest}: ` +
      'start the version that wrote it or a newer one, or restore a backup from before the upgrade',
  );
}
