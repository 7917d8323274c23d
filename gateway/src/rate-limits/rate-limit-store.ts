import type { Logger } from '@agent-fleet/shared/logger';
import { loadScript } from '@agent-fleet/shared/redis/script';
import type { RedisStore } from '@agent-fleet/shared/redis/store';

export const WINDOW_MS = 60_000;
/** Without a reply within this time, Redis counts as unavailable: no request waits longer for it. */
const DEADLINE_MS = 500;
/** While Redis is unavailable, one request per interval tries it. */
const RETRY_MS = 1_000;

/** `quota` requests per minute for each id. */
export interface RateLimitPolicy {
  /** As in the `RateLimit` headers. */
  name: string;
  quota: number;
}

/** The reply of the script. */
export interface Reply {
  granted: number;
  remaining: number;
  /** Until the whole quota is available again. */
  fullInMs: number;
  /** Until the next request is allowed; 0 when one is allowed now. */
  nextInMs: number;
}

export type RateLimitStore = ReturnType<typeof createRateLimitStore>;

/** One key per policy and id, `<prefix>:rate:<policy>:<id>`, which expires when the whole quota is available again. */
export function createRateLimitStore(redis: RedisStore, prefix: string, logger: Logger, deadlineMs = DEADLINE_MS) {
  const script = loadScript(redis, new URL('./rate-limit-1.lua', import.meta.url));
  let isUnavailable = false;
  let retryAtMs = 0;

  function onUnavailable(error: unknown): undefined {
    if (!isUnavailable) logger.warn({ err: error }, 'rate limits apply per process: redis is unavailable');
    isUnavailable = true;
    retryAtMs = performance.now() + RETRY_MS;
    return undefined;
  }

  function onAvailable(): void {
    if (isUnavailable) logger.info('rate limits apply across all processes again');
    isUnavailable = false;
  }

  return {
    /** Takes up to `count` requests, or returns them when it is negative; undefined while Redis is unavailable. */
    async take({ name, quota }: RateLimitPolicy, id: string, count: number): Promise<Reply | undefined> {
      // One request tries; the others do not wait for it.
      if (isUnavailable) retryAtMs = performance.now() + RETRY_MS;
      try {
        const returned = script([`${prefix}:rate:${name}:${id}`], [quota, WINDOW_MS * 1_000, count]);
        const reply = toReply(await withDeadline(returned, deadlineMs));
        onAvailable();
        return reply;
      } catch (error) {
        return onUnavailable(error);
      }
    },
    /** Whether each process counts by itself; one request may be trying Redis. */
    get isLocal() {
      return isUnavailable;
    },
    /** Whether Redis must not be called now. */
    get isUnavailable() {
      return isUnavailable && performance.now() < retryAtMs;
    },
  };
}

function toReply(values: unknown): Reply {
  const [granted = 0, remaining = 0, fullUs = 0, nextUs = 0] = (values as unknown[]).map(Number);
  return { granted, remaining, fullInMs: fullUs / 1_000, nextInMs: nextUs / 1_000 };
}

function withDeadline(work: Promise<unknown>, deadlineMs: number): Promise<unknown> {
  const { promise, resolve, reject } = Promise.withResolvers<unknown>();
  const timer = setTimeout(() => reject(new Error(`No reply within ${deadlineMs} ms`)), deadlineMs).unref();
  work.then(resolve, reject).finally(() => clearTimeout(timer));
  return promise;
}
