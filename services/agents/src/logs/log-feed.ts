import { connectRedis } from '@agent-fleet/shared/redis/connection';
import { toFields } from '../events/event.ts';
import { StreamReader } from '../events/stream-reader.ts';
import { createTopics } from '../events/topics.ts';
import type { FleetContext } from '../redis/fleet-context.ts';

export type LogFeed = ReturnType<typeof startLogFeed>;

/** Notifies listeners within milliseconds that the log of a task has new entries, whichever replica added them. */
export function startLogFeed({ keys, logger }: FleetContext, redisUrl: string) {
  const topics = createTopics<() => void>();
  const reader = new StreamReader({
    redis: connectRedis(redisUrl, logger),
    key: keys.logs(),
    onEntry([, fields]) {
      for (const onAdded of topics.of(toFields(fields).t as string)) onAdded();
    },
    onGap() {
      for (const onAdded of topics.all()) onAdded();
    },
    logger,
  });

  return {
    /** `onAdded`: there may be new entries. Returns a function that unsubscribes. */
    on(taskId: string, onAdded: () => void): () => void {
      const stop = reader.use();
      const off = topics.on(taskId, onAdded);
      return () => {
        stop();
        off();
      };
    },
    close: () => reader.close(),
  };
}
