import { backoffMs } from './backoff.ts';
import { collectBatches } from './collect-batches.ts';
import { EVENT_TYPES } from './event-types.ts';
import type { Batch } from './messages.ts';
import { findNextEvent, isSignedOut } from './probes.ts';

/** What may have been missed for longer is not worth sending again: lists are read anew. */
const MAX_GAP_MS = 120_000;
const OPEN_TIMEOUT_MS = 15_000;
const SLOW_OPEN_MS = 1_000;
/** A connection that breaks sooner counts as one more failure. */
const STABLE_MS = 10_000;
/** `EventSource` hides comments: a connection without events is checked. */
const SILENT_MS = 30_000;
const LATE_MS = 2_000;

/** Where a stream begins. */
export interface Position {
  /** After this event. Undefined: with new events. */
  after: number | undefined;
  /** When something was last heard of the stream, by `Date.now()`, which goes on while the computer sleeps. */
  heardAt: number;
}

interface Handlers {
  onBatch: (batch: Batch) => void;
  /** It is open again, or not open. */
  onState: (state: 'live' | 'reconnecting') => void;
  /** It has opened without knowing where it was: events may have been missed. */
  onMissed: () => void;
  onSignedOut: () => void;
}

export type EventStream = ReturnType<typeof openEventStream>;

/**
 * The event stream of the fleet, which is opened again after the last event whenever it breaks, is refused or turns
 * out to be dead. `tick` drives it: call it about once a second.
 */
export function openEventStream(position: Position, { onBatch, onState, onMissed, onSignedOut }: Handlers) {
  const batches = collectBatches(position.after, onBatch);
  let { heardAt } = position;
  let source: EventSource | undefined;
  let changedAt = 0;
  let isOpen = false;
  let failures = 0;
  let retryAt = 0;
  let isProbing = false;
  let isClosed = false;
  let late: { id: number; at: number } | undefined;

  function open(): void {
    source?.close();
    if (Date.now() - heardAt > MAX_GAP_MS) batches.restart();
    const { last } = batches;
    const opened = new EventSource(last === undefined ? '/events' : `/events?after=${last}`);
    source = opened;
    isOpen = false;
    changedAt = Date.now();
    opened.onopen = () => {
      isOpen = true;
      changedAt = Date.now();
      heardAt = changedAt;
      late = undefined;
      if (last === undefined) onMissed();
      onState('live');
    };
    opened.onerror = fail;
    for (const type of EVENT_TYPES) opened.addEventListener(type, onEvent);
  }

  function onEvent({ type, lastEventId, data }: MessageEvent<string>): void {
    heardAt = Date.now();
    if (type !== 'resync') return batches.add(Number(lastEventId), data);
    // All that is kept would follow, up to 100,000 events.
    batches.restart();
    fail();
  }

  function fail(): void {
    source?.close();
    source = undefined;
    isOpen = false;
    failures += 1;
    retryAt = Date.now() + backoffMs(failures);
    batches.flush();
    onState('reconnecting');
  }

  /** Runs one probe at a time; a failed one is a failure of the stream. */
  async function probe(run: () => Promise<void>): Promise<void> {
    if (isProbing) return;
    isProbing = true;
    try {
      await run();
    } catch {
      if (!isClosed) fail();
    } finally {
      isProbing = false;
    }
  }

  async function retry(): Promise<void> {
    const isOver = await isSignedOut();
    if (isClosed || source) return;
    if (isOver) onSignedOut();
    else open();
  }

  async function check(): Promise<void> {
    const checked = source;
    const next = await findNextEvent(batches.last);
    if (isClosed || source !== checked) return;
    if (next !== undefined && isAhead(next)) late = { id: next, at: Date.now() };
    else heardAt = Date.now();
  }

  const isAhead = (id: number) => batches.last !== undefined && id > batches.last;

  function tick(): void {
    const now = Date.now();
    if (!source) {
      if (now >= retryAt) void probe(retry);
    } else if (!isOpen) {
      if (now - changedAt > OPEN_TIMEOUT_MS) fail();
      else if (now - changedAt > SLOW_OPEN_MS) onState('reconnecting');
    } else {
      if (now - changedAt > STABLE_MS) failures = 0;
      if (late && !isAhead(late.id)) late = undefined;
      if (late && now - late.at > LATE_MS) fail();
      else if (!late && now - heardAt > SILENT_MS) void probe(check);
    }
  }

  open();
  return {
    tick,
    flush: batches.flush,

    /** For a connection that may be dead without an error, as after sleep. */
    reopen: () => open(),

    close(): void {
      isClosed = true;
      source?.close();
      batches.flush();
    },
  };
}
