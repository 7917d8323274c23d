import { numberOf, type StreamEntry } from '@agent-fleet/shared/redis/stream-reader';
import type { FleetContext } from '../redis/fleet-context.ts';
import { loadFleetScript } from '../redis/scripts.ts';
import { type StoredEvent, toEvent } from './event.ts';

/** Linked events per call: following a link takes about 2 µs. */
const LINKS_PER_CALL = 250;

/** Which events a client gets: those that match all that is given, and `resync`. */
export interface EventFilter {
  agents?: ReadonlySet<string>;
  types?: ReadonlySet<string>;
  agentType?: string;
}

/** Names a stream of events: of the fleet, an agent, or a task. */
export interface EventStream {
  agentId?: string;
  taskId?: string;
  /** For the fleet's events only. Default: all. */
  filter?: EventFilter;
}

/** An event and its number in its stream. */
export interface NumberedEvent {
  number: number;
  event: StoredEvent;
}

export interface EventPage {
  events: NumberedEvent[];
  /** The number after which the next page starts; includes skipped events. */
  next: number;
  /** Whether there are no more events now. */
  isLast: boolean;
}

/** Reads up to `limit` events that follow a number in the order of the reader, or its first ones. */
export type ReadEvents = (stream: EventStream, after: number | undefined, limit: number) => Promise<EventPage>;

/** Reads the events of the fleet, an agent or a task. */
export class EventStore {
  readonly #redis;
  readonly #keys;
  readonly #clock;
  readonly #readTaskEvents;

  constructor(context: FleetContext) {
    this.#redis = context.redis;
    this.#keys = context.keys;
    this.#clock = context.clock;
    this.#readTaskEvents = loadFleetScript(context, 'events/read-task-events');
  }

  async #readFirst({ agentId }: EventStream): Promise<number> {
    const [first] = await this.#redis.xrange(this.#keys.events(agentId), '-', '+', 'COUNT', 1);
    return first ? numberOf(first[0]) : 1;
  }

  /** The number of the last event of the stream (for a task: of its agent), 0 before the first. */
  async readLast({ agentId }: EventStream): Promise<number> {
    const [last] = await this.#redis.xrevrange(this.#keys.events(agentId), '+', '-', 'COUNT', 1);
    return last ? numberOf(last[0]) : 0;
  }

  /** Reads up to `limit` events after number `from`. */
  async #readRange(stream: EventStream, from: number, limit: number): Promise<NumberedEvent[]> {
    // Redis replies null, not an empty list, to COUNT 0.
    if (limit === 0) return [];
    const entries = await this.#redis.xrange(this.#keys.events(stream.agentId), `${from + 1}-0`, '+', 'COUNT', limit);
    return entries.map((entry) => toNumbered(entry, stream.agentId));
  }

  /** Reads all events of a task after number `from`, oldest first, and whether the one before the first is lost. */
  async #readLinked(agentId: string, taskId: string, from: number) {
    const state = (await this.#redis.get(this.#keys.state(taskId))) ?? (await this.#findDeleted(agentId, taskId));
    const events: NumberedEvent[] = [];
    for (let latest = Number.parseInt(state, 10); latest > from; ) {
      const reply = await this.#readTaskEvents({ agent: agentId, from: latest, after: from, max: LINKS_PER_CALL });
      const [before, isGone, ...entries] = reply as [number, number, ...StreamEntry[]];
      for (const entry of entries) events.unshift(toNumbered(entry, agentId));
      if (isGone) return { events, isCut: true };
      latest = before;
    }
    return { events, isCut: false };
  }

  /** A deleted task has no state; its deletion may be among the agent's latest events. */
  async #findDeleted(agentId: string, taskId: string): Promise<string> {
    const entries = await this.#redis.xrevrange(this.#keys.events(agentId), '+', '-', 'COUNT', LINKS_PER_CALL);
    return entries.find(([, fields]) => toEvent(fields).taskId === taskId)?.[0] ?? '0';
  }

  /** A `resync` with the number before the first event that is kept; `last` when none is. */
  #resyncBefore([first]: NumberedEvent[], last: number): NumberedEvent {
    const event = {
      type: 'resync',
      agentId: '',
      agentType: '',
      taskId: '',
      status: '',
      at: this.#clock.now(),
      data: '',
    };
    return { number: first ? first.number - 1 : last, event };
  }

  /** Reads up to `limit` events after a number, or all that are kept. A `resync` comes first if some are lost. */
  async read(stream: EventStream, after: number | undefined, limit: number): Promise<EventPage> {
    const [first, last] = await Promise.all([this.#readFirst(stream), this.readLast(stream)]);
    // `after > last`: Redis has lost the end of the stream, and numbers are used again.
    const isGap = after !== undefined && (after < first - 1 || after > last);
    const from = isGap || after === undefined ? first - 1 : after;
    const { agentId, taskId } = stream;
    if (agentId !== undefined && taskId !== undefined) {
      const { events, isCut } = await this.#readLinked(agentId, taskId, from);
      // The history of a task starts with its creation.
      const isPartial = isCut || (after === undefined && events[0]?.event.type !== 'task.created');
      const all = isGap || isPartial ? [this.#resyncBefore(events, isGap ? from : last), ...events] : events;
      const isLast = all.length <= limit;
      const cut = all.slice(0, limit);
      const next = cut.at(-1)?.number ?? from;
      return { events: cut, next: isLast ? Math.max(next, last) : next, isLast };
    }
    const events = await this.#readRange(stream, from, isGap ? limit - 1 : limit);
    const all = isGap ? [this.#resyncBefore(events, from), ...events] : events;
    return { events: all, next: all.at(-1)?.number ?? from, isLast: all.length < limit };
  }

  /** Reads up to `limit` events of the fleet or an agent before a number, or the last ones, newest first. */
  async readBackwards(stream: EventStream, before: number | undefined, limit: number): Promise<EventPage> {
    if (before === 0) return { events: [], next: 0, isLast: true };
    const end = before === undefined ? '+' : `${before - 1}-0`;
    // One more, so that the last page is known.
    const entries = await this.#redis.xrevrange(this.#keys.events(stream.agentId), end, '-', 'COUNT', limit + 1);
    const events = entries.slice(0, limit).map((entry) => toNumbered(entry, stream.agentId));
    return { events, next: events.at(-1)?.number ?? 0, isLast: entries.length <= limit };
  }
}

function toNumbered([id, fields]: StreamEntry, agentId: string | undefined): NumberedEvent {
  return { number: numberOf(id), event: toEvent(fields, agentId) };
}

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
