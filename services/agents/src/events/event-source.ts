import type { FleetContext } from '../redis/fleet-context.ts';
import { endsTask, toEventJson } from './event.ts';
import { type EventStore, type EventStream, matches, type NumberedEvent } from './event-store.ts';
import type { Feed } from './feed.ts';
import type { StreamEnd, StreamSource } from './stream-client.ts';

interface SourceParts {
  store: EventStore;
  feed: Feed;
  findEnd: (stream: EventStream) => Promise<StreamEnd>;
}

export type ToSource = (stream: EventStream) => StreamSource<NumberedEvent>;

/** The result makes the events of the fleet, an agent or a task a source of streams. */
export function createEventSource({ barrier }: FleetContext, { store, feed, findEnd }: SourceParts): ToSource {
  return (stream) => {
    const { agentId, taskId, filter } = stream;
    return {
      async findStart() {
        if (taskId !== undefined) return undefined;
        const last = await store.readLast(stream);
        await barrier();
        return last;
      },

      async read(after, limit) {
        const { events: items, next, isLast } = await store.read(stream, after, limit);
        // A failover takes back what no replica has, and uses its numbers again.
        if (items.length > 0) await barrier();
        return { items, next, isLast };
      },

      findEnd: () => findEnd(stream),

      isNext({ number }, last) {
        return taskId !== undefined || number === last + 1;
      },

      isEnd({ event: { type, status } }) {
        if (taskId !== undefined) return endsTask(status);
        return agentId !== undefined && type === 'agent.deleted';
      },

      toMessage({ number, event }) {
        return matches(stream, event) ? { type: event.type, json: toEventJson(number, event) } : undefined;
      },

      isFiltered: filter !== undefined,

      subscribe(listener) {
        const off = feed.on(topicOf(stream), (event) => {
          if (!event) return listener.onChange(true);
          const number = agentId === undefined ? event.fleetNumber : event.agentNumber;
          listener.onItem({ number, event });
        });
        // The events of a task do not show that its agent was deleted.
        const offDeleted = taskId === undefined ? undefined : feed.onAgentDeleted(agentId as string, listener.onGone);
        return () => {
          off();
          offDeleted?.();
        };
      },
    };
  };
}

function topicOf({ agentId, taskId }: EventStream): string {
  if (taskId !== undefined) return `task:${taskId}`;
  return agentId === undefined ? 'fleet' : `agent:${agentId}`;
}
