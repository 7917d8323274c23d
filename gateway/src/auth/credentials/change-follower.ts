import { createIdentityKeys } from '@agent-fleet/access/keys';
import type { Logger } from '@agent-fleet/shared/logger';
import { connectRedis, type RedisClient } from '@agent-fleet/shared/redis/connection';
import { numberOf, type StreamEntry, StreamReader } from '@agent-fleet/shared/redis/stream-reader';

const BLOCK_MS = 500;
/** Without an answer to what was asked after this time, changes may have been missed. */
const CURRENT_MS = 2_000;

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
  const changeListeners: ((name: string) => void)[] = [];
  const resetListeners: (() => void)[] = [];
  /** Read with each request, so as plain fields. */
  const state = { currentUntilMs: Number.NEGATIVE_INFINITY, position: 0 };
  const startedAtMs = performance.now();
  let last = 0;

  function reset(to: number): void {
    state.position++;
    last = to;
    for (const listener of resetListeners) listener();
  }

  function apply([id, fields]: StreamEntry): void {
    const number = numberOf(id);
    if (number !== last + 1) {
      reset(number);
      return;
    }
    last = number;
    state.position++;
    for (const listener of changeListeners) listener(fields[1] ?? '');
  }

  const reader = new StreamReader({
    redis,
    key: createIdentityKeys(prefix).changes,
    blockMs: BLOCK_MS,
    onEntry: apply,
    onGap: (id) => reset(numberOf(id)),
    // An answer may have been delayed: what counts is when it was asked for.
    onCurrent(atMs) {
      state.currentUntilMs = atMs + CURRENT_MS;
    },
    logger,
  });
  reader.use();
  const restart = () => reader.restart();
  // Nothing was read before it was first ready.
  lookUps.once('ready', () => lookUps.on('ready', restart));

  return Object.assign(state, {
    redis,
    lagMs: () => performance.now() - Math.max(state.currentUntilMs - CURRENT_MS, startedAtMs),
    onChange: (listener: (name: string) => void) => void changeListeners.push(listener),
    onReset: (listener: () => void) => void resetListeners.push(listener),
    async close() {
      lookUps.off('ready', restart);
      await reader.close();
    },
  });
}
