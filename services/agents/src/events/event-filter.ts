import type { StoredEvent } from './event.ts';
import type { EventPage, EventStream, NumberedEvent, ReadEvents } from './event-store.ts';

/** Events that are read for a page at most, and at once, where not all match. */
const MAX_SCANNED = 5_000;
const SCAN_STEP = 500;

/** Whether an event is served to a reader of the stream. */
export function matches({ filter }: EventStream, { type, agentId, agentType }: StoredEvent): boolean {
  if (!filter || type === 'resync') return true;
  const isOfType = (filter.agentType ?? agentType) === agentType;
  return isOfType && filter.agents?.has(agentId) !== false && filter.types?.has(type) !== false;
}

/**
 * Reads up to `limit` events that match, after a number or of all that are kept, by `read`, which sets their order. As
 * few of many may match, it reads at most `MAX_SCANNED` and continues after `next`.
 */
export async function readMatchingEvents(
  read: ReadEvents,
  stream: EventStream,
  after: number | undefined,
  limit: number,
): Promise<EventPage> {
  if (!stream.filter) return read(stream, after, limit);
  const events: NumberedEvent[] = [];
  let page: EventPage | undefined;
  for (let scanned = 0; scanned < MAX_SCANNED && events.length < limit && !page?.isLast; scanned += SCAN_STEP) {
    page = await read(stream, page?.next ?? after, SCAN_STEP);
    for (const event of page.events) if (matches(stream, event.event)) events.push(event);
  }
  const { next, isLast } = page as EventPage;
  const last = events[limit - 1];
  if (!last || events.length === limit) return { events, next, isLast };
  return { events: events.slice(0, limit), next: last.number, isLast: false };
}
