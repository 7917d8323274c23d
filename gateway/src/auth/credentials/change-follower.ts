import { setTimeout as sleep } from 'node:timers/promises';
import { createIdentityKeys } from '@agent-fleet/access/keys';
import type { Logger } from '@agent-fleet/shared/logger';
import { connectRedis, type RedisClient, waitForRedis } from '@agent-fleet/shared/redis/connection';

const BLOCK_MS = 500;
/** Without an answer to what was asked after this time, changes may have been missed. */
const CURRENT_MS = 2_000;
const RETRY_MS = 100;
const CONNECT_MS = 1_000;
const MAX_ENTRIES = 1_000;

export interface ChangeFollower {
  /** Until when, by `performance.now()`, all changes up to 2 s before are known. */
  readonly currentUntilMs: number;
  /** Changes whenever a change or a reset is known. */
  readonly position: number;
  /** `listener` gets the name of each changed record, such as `user:<id>`. */
  onChange(listener: (name: string) => void): void;
  /** `listener` is called when changes may have been missed: everything may have changed. */
  onReset(listener: () => void): void;
  close(): Promise<void>;
}

interface FollowedChanges extends ChangeFollower {
  /** What reads the stream. */
  redis: RedisClient;
  /** Changes of the last so many ms may be unknown. */
  lagMs(): number;
}

type Entry = [id: string, fields: string[]];

/**
 * Follows the stream of changed users, keys and sessions. Changes are numbered without gaps: after a gap, a number that
 * goes back, or a lost connection, everything counts as changed. So it does when `lookUps`, the connection by which
 * records are read, is a new one: the one before may have stayed with a former primary for longer.
 */
export function followChanges(
  { url, prefix }: { url: string; prefix: string },
  lookUps: RedisClient,
  logger: Logger,
): FollowedChanges {
  const redis = connectRedis(url, logger, { commandTimeout: CURRENT_MS });
  const { changes } = createIdentityKeys(prefix);
  const changeListeners: ((name: string) => void)[] = [];
  const resetListeners: (() => void)[] = [];
  /** Read with each request, so as plain fields. */
  const state = { currentUntilMs: Number.NEGATIVE_INFINITY, position: 0 };
  const startedAtMs = performance.now();
  /** When the last answered read was sent: its answer may have been delayed. */
  const setAsked = (atMs: number) => {
    state.currentUntilMs = atMs + CURRENT_MS;
  };
  let isNew = true;
  let last = 0;
  let isClosed = false;
  const onReady = () => {
    isNew = true;
  };
  redis.on('ready', onReady);
  // Nothing was read before it was first ready.
  lookUps.once('ready', () => lookUps.on('ready', onReady));

  function reset(to: number): void {
    state.position++;
    last = to;
    for (const listener of resetListeners) listener();
  }

  function apply(entries: readonly Entry[]): void {
    for (const [id, fields] of entries) {
      const number = Number.parseInt(id, 10);
      if (number !== last + 1) {
        reset(numberOf(entries.at(-1)));
        return;
      }
      last = number;
      state.position++;
      for (const listener of changeListeners) listener(fields[1] ?? '');
    }
  }

  async function readNext(): Promise<void> {
    if (isNew) {
      isNew = false;
      const nowMs = performance.now();
      reset(await readTail(redis, changes));
      setAsked(nowMs);
    }
    const nowMs = performance.now();
    const [tail, reply] = await Promise.all([
      readTail(redis, changes),
      redis.xread('COUNT', MAX_ENTRIES, 'BLOCK', BLOCK_MS, 'STREAMS', changes, `${last}-0`),
    ]);
    if (isNew) return;
    if (tail < last) reset(tail);
    else apply((reply?.[0]?.[1] ?? []) as Entry[]);
    setAsked(nowMs);
  }

  async function follow(): Promise<void> {
    while (!isClosed) {
      try {
        await waitForRedis(redis, CONNECT_MS);
        await readNext();
      } catch (error) {
        isNew = true;
        if (isClosed) return;
        logger.debug({ err: error }, 'failed to read changed users and keys; retrying');
        // One whose packets are lost would stay open for minutes.
        if (redis.status === 'ready') redis.disconnect(true);
        await sleep(RETRY_MS);
      }
    }
  }

  const done = follow();
  return Object.assign(state, {
    redis,
    lagMs: () => performance.now() - Math.max(state.currentUntilMs - CURRENT_MS, startedAtMs),
    onChange: (listener: (name: string) => void) => void changeListeners.push(listener),
    onReset: (listener: () => void) => void resetListeners.push(listener),
    async close() {
      isClosed = true;
      lookUps.off('ready', onReady);
      redis.disconnect();
      await done;
    },
  });
}

async function readTail(redis: RedisClient, stream: string): Promise<number> {
  const [entry] = await redis.xrevrange(stream, '+', '-', 'COUNT', 1);
  return numberOf(entry);
}

function numberOf(entry: [id: string, ...unknown[]] | undefined): number {
  return entry ? Number.parseInt(entry[0], 10) : 0;
}
