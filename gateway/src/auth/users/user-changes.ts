import type { Logger } from '@agent-fleet/shared/logger';
import { connectRedis } from '@agent-fleet/shared/redis/connection';
import { userChangeChannel } from './users.ts';

/** Idle time until keep-alive probes detect a dead connection: 10 probes, one per second (libuv's figures). */
const KEEP_ALIVE_MS = 10_000;

/** Calls `onChange` when any replica changes a user, and after each reconnection, as messages may have been lost. */
export function subscribeToUserChanges(
  redis: { url: string; prefix: string },
  logger: Logger,
  onChange: () => void,
): { close(): Promise<void> } {
  const subscriber = connectRedis(redis.url, logger, {
    autoResubscribe: false,
    keepAlive: KEEP_ALIVE_MS,
  });
  subscriber.on('message', onChange);
  subscriber.on('ready', () => {
    subscriber.subscribe(userChangeChannel(redis.prefix)).then(onChange, (error: unknown) => {
      logger.warn({ err: error }, 'failed to subscribe to user changes; retrying');
      subscriber.disconnect(true);
    });
  });
  return { close: async () => subscriber.disconnect() };
}
