import { connectRedis } from '@agent-fleet/shared/redis/connection';
import { StreamReader } from '@agent-fleet/shared/redis/stream-reader';
import type { TaskParams } from '../contract/parameters.ts';
import { endsTask, toFields } from '../events/event.ts';
import type { Feed } from '../events/feed.ts';
import type { StreamEnd, StreamPage, StreamSource } from '../events/stream-client.ts';
import { createTopics } from '../events/topics.ts';
import type { FleetContext } from '../redis/fleet-context.ts';
import type { LogStore, StoredLogEntry } from './log-store.ts';

/** Bytes of text per read for a client, about. */
const PAGE_BYTES = 256 * 1024;

interface SourceParts {
  store: LogStore;
  logFeed: LogFeed;
  feed: Feed;
  findEnd: (agentId: string, taskId: string) => Promise<StreamEnd>;
}

export type ToLogSource = ReturnType<typeof createLogSource>;

/** The result makes the log of a task a source of streams. */
export function createLogSource({ barrier }: FleetContext, { store, logFeed, feed, findEnd }: SourceParts) {
  /** Reads in flight: clients that follow the same log share them. */
  const reading = new Map<string, Promise<StreamPage<StoredLogEntry>>>();

  async function readReplicated(taskId: string, after: number, limit: number): Promise<StreamPage<StoredLogEntry>> {
    const page = await store.read(taskId, after, limit, PAGE_BYTES);
    if (page.items.length > 0) await barrier();
    return page;
  }

  function read(taskId: string, after: number, limit: number): Promise<StreamPage<StoredLogEntry>> {
    const name = `${taskId} ${after} ${limit}`;
    const shared = reading.get(name);
    if (shared) return shared;
    const page = readReplicated(taskId, after, limit).finally(() => reading.delete(name));
    reading.set(name, page);
    return page;
  }

  return ({ agent_id: agentId, task_id: taskId }: TaskParams): StreamSource<StoredLogEntry> => ({
    findStart: async () => undefined,
    read: (after = 0, limit) => read(taskId, after, limit),
    findEnd: () => findEnd(agentId, taskId),
    // Entries are always read from the store.
    isNext: () => false,
    isEnd: () => false,
    toMessage: ({ json }) => ({ type: 'log', json }),
    isFiltered: false,

    subscribe(listener) {
      const unsubscribes = [
        logFeed.on(taskId, () => listener.onChange(false)),
        feed.on(`task:${taskId}`, (event) => (!event || endsTask(event.status)) && listener.onChange(true)),
        feed.onAgentDeleted(agentId, listener.onGone),
      ];
      return () => {
        for (const unsubscribe of unsubscribes) unsubscribe();
      };
    },
  });
}

type LogFeed = ReturnType<typeof startLogFeed>;

/** Notifies listeners within milliseconds that the log of a task has new entries, whichever replica added them. */
export function startLogFeed({ config, keys, logger }: FleetContext) {
  const topics = createTopics<() => void>();
  const reader = new StreamReader({
    redis: connectRedis(config.redis.url, logger),
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
