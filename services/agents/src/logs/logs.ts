import type { Input, Reply } from '@agent-fleet/shared/contract/operation';
import { linkTo } from '@agent-fleet/shared/contract/paging';
import { leaseLost, requireRef } from '../contract/leases.ts';
import { leaseNotFound } from '../contract/parameters.ts';
import { type EventStreams, readLastEventId, wantsStream } from '../events/event-streams.ts';
import type { Feed } from '../events/feed.ts';
import type { FleetContext } from '../redis/fleet-context.ts';
import type { Tasks } from '../tasks/tasks.ts';
import type { addLogEntries, listLogEntries } from './contract.ts';
import { createDeltas } from './deltas.ts';
import { createLogStore, type LogStore } from './log-store.ts';
import { createLogSource, startLogFeed, type ToLogSource } from './log-stream.ts';

/** Bytes of text of one page, about. */
const PAGE_BYTES = 1024 * 1024;

interface LogParts {
  feed: Feed;
  streams: EventStreams;
  tasks: Tasks;
}

export function createLogs(context: FleetContext, { feed, streams, tasks }: LogParts) {
  const store = createLogStore(context);
  const logFeed = startLogFeed(context);
  const deltas = createDeltas(context);
  const toSource = createLogSource(context, { store, logFeed, deltas, feed, findEnd: tasks.reader.findEnd });
  return {
    operations: { ...createOperations(store, toSource, { streams, tasks }), sendDelta: deltas.send },
    logFeed,
    async close(): Promise<void> {
      await deltas.close();
      await logFeed.close();
    },
  };
}

function createOperations(store: LogStore, toSource: ToLogSource, { streams, tasks }: Omit<LogParts, 'feed'>) {
  return {
    async add({ params, body }: Input<typeof addLogEntries>): Promise<Reply> {
      const outcome = await store.add(requireRef(params), body.token, body.entries);
      if (outcome === 'added') return { status: 204 };
      throw outcome === 'lost' ? leaseLost() : leaseNotFound();
    },

    async list({ params, query, req, res }: Input<typeof listLogEntries>): Promise<Reply | undefined> {
      const { tail, limit, types } = query;
      await tasks.requireTask(params);
      const isStream = wantsStream(req);
      const given = (isStream ? readLastEventId(req) : undefined) ?? query.after;
      const after = given ?? (tail === undefined ? undefined : await findTail(params.task_id, tail));
      if (isStream) {
        await streams.open(toSource(params, types), after, req, res);
        return undefined;
      }
      const { items, next, isLast } = await store.read(params.task_id, after ?? 0, {
        limit,
        maxBytes: PAGE_BYTES,
        types,
      });
      const json = `[${items.map((item) => item.json).join(',')}]`;
      if (isLast) return { status: 200, json };
      return { status: 200, json, headers: { link: linkTo(req.originalUrl, { after: next }, 'next') } };
    },
  };

  /** The number before the last `count` entries. */
  async function findTail(taskId: string, count: number): Promise<number> {
    return Math.max(0, (await store.readLast(taskId)) - count);
  }
}
