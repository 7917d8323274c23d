import type { Logger } from '@agent-fleet/shared/logger';
import type { RedisClient } from '@agent-fleet/shared/redis/connection';
import { loadScript } from '@agent-fleet/shared/redis/script';

export const WINDOW_MS = 60_000;
/** Without an answer by then, Redis counts as away: a request waits for it no longer. */
const DEADLINE_MS = 500;
/** While Redis is away one request in this time asks it. */
const ASK_AGAIN_MS = 1_000;

/** So many in a window of a minute, counted for each of those who share it by name. */
export interface RateLimitPolicy {
  /** As clients are told of it. */
  name: string;
  quota: number;
}

/** What Redis says of a limit after it was asked for some. */
export interface Told {
  granted: number;
  remaining: number;
  /** Until the whole quota is there again. */
  fullInMs: number;
  /** Until the next one is there, 0 when one is. */
  nextInMs: number;
}

export interface RateLimitStore {
  /** Takes up to `count`, or gives back where it is negative; undefined while Redis is away. */
  take(policy: RateLimitPolicy, id: string, count: number): Promise<Told | undefined>;
  /** Whether nobody may be asked now. */
  readonly isAway: boolean;
  /** Whether each process counts for itself, though one may be asking. */
  readonly isLocal: boolean;
}

/** One key for each limit and who has it, `<prefix>:rate:<policy>:<id>`, that lives until the quota is whole again. */
export function createRateLimitStore(
  redis: RedisClient,
  prefix: string,
  logger: Logger,
  deadlineMs = DEADLINE_MS,
): RateLimitStore {
  const script = loadScript(redis, new URL('./rate-limit-1.lua', import.meta.url));
  let isAway = false;
  let askAgainAtMs = 0;

  function onAway(error: unknown): undefined {
    if (!isAway) logger.warn({ err: error }, 'rate limits hold in each process for itself: redis is away');
    isAway = true;
    askAgainAtMs = performance.now() + ASK_AGAIN_MS;
    return undefined;
  }

  function onBack(): void {
    if (isAway) logger.info('rate limits hold for all processes again');
    isAway = false;
  }

  return {
    async take({ name, quota }, id, count) {
      // One asks; the others go on without an answer.
      if (isAway) askAgainAtMs = performance.now() + ASK_AGAIN_MS;
      try {
        const asked = script([`${prefix}:rate:${name}:${id}`], [quota, WINDOW_MS * 1_000, count]);
        const told = toTold(await withDeadline(asked, deadlineMs));
        onBack();
        return told;
      } catch (error) {
        return onAway(error);
      }
    },
    get isLocal() {
      return isAway;
    },
    get isAway() {
      return isAway && performance.now() < askAgainAtMs;
    },
  };
}

function toTold(answer: unknown): Told {
  const [granted = 0, remaining = 0, fullUs = 0, nextUs = 0] = (answer as unknown[]).map(Number);
  return { granted, remaining, fullInMs: fullUs / 1_000, nextInMs: nextUs / 1_000 };
}

function withDeadline(answer: Promise<unknown>, deadlineMs: number): Promise<unknown> {
  const { promise, resolve, reject } = Promise.withResolvers<unknown>();
  const timer = setTimeout(() => reject(new Error(`No answer within ${deadlineMs} ms`)), deadlineMs).unref();
  answer.then(resolve, reject).finally(() => clearTimeout(timer));
  return promise;
}
