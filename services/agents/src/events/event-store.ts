import type { RedisClient } from '@agent-fleet/shared/redis/connection';
import type { Keys } from '../keys.ts';
import { withEventId } from './event.ts';
import { numberOf, toFields } from './stream-entry.ts';

const CREATION = '{"type":"task.created"';

/** Names a stream of events: of the fleet, an agent, or a task. */
export interface EventStream {
  agentId?: string;
  taskId?: string;
}

/** An event and its number in its stream. */
export interface StoredEvent {
  number: number;
  /** The served JSON. */
  json: string;
}

interface EventPage {
  events: StoredEvent[];
  /** The number after which the next page starts; includes skipped events. */
  next: number;
  /** Whether there are no more events now. */
  isLast: boolean;
}

export type EventStore = ReturnType<typeof createEventStore>;

export function createEventStore(redis: RedisClient, keys: Keys) {
  const keyOf = ({ agentId }: EventStream) => (agentId ? keys.agentEvents(agentId) : keys.fleetEvents);

  async function readFirst(stream: EventStream): Promise<number> {
    const [first] = await redis.xrange(keyOf(stream), '-', '+', 'COUNT', 1);
    return first ? numberOf(first[0]) : 1;
  }

  /** The number of the last event of the stream (for a task: of its agent), 0 before the first. */
  async function readLast(stream: EventStream): Promise<number> {
    const [last] = await redis.xrevrange(keyOf(stream), '+', '-', 'COUNT', 1);
    return last ? numberOf(last[0]) : 0;
  }

  return {
    readLast,

    /** Reads up to `limit` events after a number, or all that are kept. A `resync` comes first if some are lost. */
    async read(stream: EventStream, after: number | undefined, limit: number): Promise<EventPage> {
      const [first, last] = await Promise.all([readFirst(stream), readLast(stream)]);
      // `after > last`: Redis has lost the end of the stream, and numbers are used again.
      const isGap = after !== undefined && (after < first - 1 || after > last);
      const from = isGap || after === undefined ? first - 1 : after;
      const events: StoredEvent[] = isGap ? [toResync(from)] : [];
      let next = from;
      while (events.length < limit) {
        const count = stream.taskId === undefined ? limit - events.length : 1_000;
        const found = await redis.xrange(keyOf(stream), `${next + 1}-0`, '+', 'COUNT', count);
        for (const [id, fields] of found) {
          if (events.length >= limit) return { events, next, isLast: false };
          next = numberOf(id);
          const { e: json = '', t: taskId } = toFields(fields);
          if (stream.taskId !== undefined && stream.taskId !== taskId) continue;
          // The history of a task starts with its creation.
          const isCut = after === undefined && stream.taskId !== undefined && events.length === 0;
          if (isCut && !json.startsWith(CREATION)) events.push(toResync(next - 1));
          events.push({ number: next, json: withEventId(next, json) });
        }
        if (found.length < count) {
          // Not a single event of the task is kept.
          const isGone = after === undefined && stream.taskId !== undefined && events.length === 0;
          return { events: isGone ? [toResync(next)] : events, next, isLast: true };
        }
      }
      return { events, next, isLast: false };
    },
  };
}

/** A `resync` with the number before the first event that is kept. */
function toResync(number: number): StoredEvent {
  return { number, json: withEventId(number, JSON.stringify({ type: 'resync', at: new Date().toISOString() })) };
}
