import type { TaskParams } from '../contract/parameters.ts';
import { endsTask } from '../events/event.ts';
import type { Feed } from '../events/feed.ts';
import type { StreamEnd, StreamPage, StreamSource } from '../events/stream-source.ts';
import type { FleetContext } from '../redis/fleet-context.ts';
import type { LogFeed } from './log-feed.ts';
import type { LogStore, StoredLogEntry } from './log-store.ts';

/** Bytes of text per read for a client, about. */
const PAGE_BYTES = 256 * 1024;

export type ToLogSource = ReturnType<typeof createLogSource>;

/** The result makes the log of a task a source of streams. */
export function createLogSource(
  { barrier }: FleetContext,
  store: LogStore,
  logFeed: LogFeed,
  feed: Feed,
  findEnd: (agentId: string, taskId: string) => Promise<StreamEnd>,
) {
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
