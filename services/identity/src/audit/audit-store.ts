import type { Order } from '@agent-fleet/shared/contract/paging';
import type { IdentityContext } from '../redis/context.ts';
import { type AuditEvent, type StreamEntry, toAuditEvent } from './audit-event.ts';

/** Entries per read. */
const BATCH = 500;
/** Entries that one page looks at. */
const MAX_SCANNED = 10_000;

/** The id before all entries. */
export const START = '0-0';

interface AuditRange {
  order: Order;
  /** The id in the stream after which to begin, in the order of the range. Default: with its first event. */
  after: string | undefined;
  matches: (event: AuditEvent) => boolean;
}

interface AuditPage {
  events: AuditEvent[];
  /** The id in the stream after which the next page begins; undefined when nothing follows. */
  next: string | undefined;
}

export type AuditStore = ReturnType<typeof createAuditStore>;

/** Reads the audit trail. */
export function createAuditStore({ redis, keys }: Pick<IdentityContext, 'redis' | 'keys'>) {
  async function read(order: Order, after: string | undefined, count: number, last = '+'): Promise<StreamEntry[]> {
    if (order === 'asc') return redis.xrange(keys.audit, `(${after ?? START}`, last, 'COUNT', count);
    // Redis refuses a range that ends before the first possible id.
    if (after === START) return [];
    return redis.xrevrange(keys.audit, after === undefined ? '+' : `(${after}`, '-', 'COUNT', count);
  }

  return {
    /** The first `limit` events of a range, among the first 10,000 that may match. */
    async readPage({ order, after, matches }: AuditRange, limit: number): Promise<AuditPage> {
      const events: AuditEvent[] = [];
      let last = after;
      for (let scanned = 0; scanned < MAX_SCANNED; ) {
        const entries = await read(order, last, BATCH);
        for (const [at, entry] of entries.entries()) {
          const event = toAuditEvent(entry);
          if (!matches(event)) continue;
          events.push(event);
          if (events.length < limit) continue;
          const isEnd = at === entries.length - 1 && (await read(order, entry[0], 1)).length === 0;
          return { events, next: isEnd ? undefined : entry[0] };
        }
        if (entries.length < BATCH) return { events, next: undefined };
        last = entries.at(-1)?.[0] as string;
        scanned += entries.length;
      }
      return { events, next: last };
    },

    /** Batches of all events of a range up to the present end of the trail, at most `limit`. */
    async *readAll({ order, after, matches }: AuditRange, limit: number): AsyncGenerator<AuditEvent[]> {
      const [end] = await redis.xrevrange(keys.audit, '+', '-', 'COUNT', 1);
      if (!end) return;
      let left = limit;
      for (let last = after; left > 0; ) {
        const entries = await read(order, last, BATCH, end[0]);
        const found = entries.map(toAuditEvent).filter(matches).slice(0, left);
        left -= found.length;
        yield found;
        if (entries.length < BATCH) return;
        last = entries.at(-1)?.[0] as string;
      }
    },
  };
}
