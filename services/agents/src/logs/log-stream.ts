import { connectRedis } from '@agent-fleet/shared/redis/connection';
import { StreamReader } from '@agent-fleet/shared/redis/stream-reader';
import type { TaskParams } from '../contract/parameters.ts';
import { endsTask, toFields } from '../events/event.ts';
import type { Feed } from '../events/feed.ts';
import type { StreamEnd, StreamPage, StreamSource } from '../events/stream-client.ts';
import { createTopics } from '../events/topics.ts';
import type { FleetContext } from '../redis/fleet-context.ts';
import type { Deltas } from './deltas.ts';
import type { LogStore, StoredLogEntry } from './log-store.ts';

/** Bytes of text per read for a client, about. */
const PAGE_BYTES = 256 * 1024;

interface SourceParts {
  store: LogStore;
  logFeed: LogFeed;
  deltas: Deltas;
  feed: Feed;
  findEnd: (agentId: string, taskId: string) => Promise<StreamEnd>;
}

export type ToLogSource = ReturnType<typeof createLogSource>;

/** The result makes the log of a task a source of streams. */
export function createLogSource({ barrier }: FleetContext, { store, logFeed, deltas, feed, findEnd }: SourceParts) {
  /** Reads in flight: clients that follow the same log share them. */
  const reading = new Map<string, Promise<StreamPage<StoredLogEntry>>>();

  type Types = readonly string[] | undefined;

  async function readReplicated(
    taskId: string,
    after: number,
    limit: number,
    types: Types,
  ): Promise<StreamPage<StoredLogEntry>> {
    const page = await store.read(taskId, after, { limit, maxBytes: PAGE_BYTES, types });
    if (page.items.length > 0) await barrier();
    return page;
  }

  function read(taskId: string, after: number, limit: number, types: Types): Promise<StreamPage<StoredLogEntry>> {
    const name = `${taskId} ${after} ${limit} ${types?.join() ?? ''}`;
    const shared = reading.get(name);
    if (shared) return shared;
    const page = readReplicated(taskId, after, limit, types).finally(() => reading.delete(name));
    reading.set(name, page);
    return page;
  }

  return ({ agent_id: agentId, task_id: taskId }: TaskParams, types: Types): StreamSource<StoredLogEntry> => ({
    findStart: async () => undefined,
    read: (after = 0, limit) => read(taskId, after, limit, types),
    findEnd: () => findEnd(agentId, taskId),
    // Entries are always read from the store.
    isNext: () => false,
    isEnd: () => false,
    toMessage: ({ json }) => ({ type: 'log', json }),
    isFiltered: types !== undefined,

    subscribe(listener) {
      const unsubscribes = [
        logFeed.on('log', taskId, () => listener.onChange(false)),
        feed.on(`task:${taskId}`, (event) => (!event || endsTask(event.status)) && listener.onChange(true)),
        feed.onAgentDeleted(agentId, listener.onGone),
        ...(types?.includes('text') === false ? [] : [deltas.on(taskId, listener.onDelta)]),
      ];
      return () => {
        for (const unsubscribe of unsubscribes) unsubscribe();
      };
    },
  });
}

type LogFeed = ReturnType<typeof startLogFeed>;

/**
 * Notifies listeners within milliseconds that the log of a task, or the inbox of its worker, has something new,
 * whichever replica added them.
 */
export function startLogFeed({ config, keys, logger }: FleetContext) {
  const topics = createTopics<() => void>();
  const reader = new StreamReader({
    redis: connectRedis(config.redis.url, logger),
    key: keys.logs(),
    onEntry([, fields]) {
      const { t: task, i: inbox } = toFields(fields);
      for (const onAdded of topics.of(inbox === undefined ? `log:${task}` : `inbox:${inbox}`)) onAdded();
    },
    onGap() {
      for (const onAdded of topics.all()) onAdded();
    },
    logger,
  });

  return {
    /** `onAdded`: there may be new entries, or items of the inbox. Returns a function that unsubscribes. */
    on(what: 'log' | 'inbox', taskId: string, onAdded: () => void): () => void {
      const stop = reader.use();
      const off = topics.on(`${what}:${taskId}`, onAdded);
      return () => {
        stop();
        off();
      };
    },
    close: () => reader.close(),
  };
}
