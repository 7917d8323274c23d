import type { Logger } from '@agent-fleet/shared/logger';
import { connectRedis } from '@agent-fleet/shared/redis/connection';
import { userChangeChannel } from './users.ts';

/** Until a connection that died without a sign is missed and made anew: 10 probes, one a second, follow (libuv's figures). */
const KEEP_ALIVE_MS = 10_000;

/** Calls `onChange` at each change of a user on any replica, and after each time without a connection, as messages may be lost. */
export function followUserChanges(
  redis: { url: string; prefix: string },
  logger: Logger,
  onChange: () => void,
): { close(): Promise<void> } {
  const subscriber = connectRedis(redis.url, logger, {
    autoResubscribe: false,
    enableAutoPipelining: false,
    keepAlive: KEEP_ALIVE_MS,
  });
  subscriber.on('message', onChange);
  subscriber.on('ready', () => {
    subscriber.subscribe(userChangeChannel(redis.prefix)).then(onChange, (error: unknown) => {
      logger.warn({ err: error }, 'user changes are not followed; trying again');
      subscriber.disconnect(true);
    });
  });
  return { close: async () => subscriber.disconnect() };
}
