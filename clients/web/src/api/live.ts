import { type Event, FleetError } from '@agent-fleet/sdk';
import { type ReadonlySignal, signal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { createBatch } from './batch.ts';
import { fleet } from './fleet.ts';

type LiveState = 'off' | 'connecting' | 'live' | 'reconnecting';
type Listener = (events: readonly Event[]) => void;

/** What was missed for longer is not worth sending again: lists are read anew. */
const MAX_GAP_MS = 180_000;
const SLOW_OPEN_MS = 1_000;
/** Between two streams, after what the SDK does not try again: a refusal, an outage of minutes, lost events. */
const RETRY_MS = 5_000;
/** Events are delivered together, about once a frame. */
const FRAME_MS = 16;

const state = signal<LiveState>('off');
const resyncs = signal(0);
const listeners = new Set<Listener>();
/** Of the open stream. Undefined before `live.start` and in a hidden page. */
let reading: AbortController | undefined;
/** The last event that was seen. Undefined when the stream begins with new events only. */
let lastEventId: string | undefined;
/** By the clock, which goes on while the computer sleeps. */
let heardAt = 0;
const batch = createBatch(FRAME_MS, deliver);
let slowTimer: ReturnType<typeof setTimeout> | undefined;

/** The events of the fleet as they happen, while the page is visible. A page that was hidden catches up. */
export const live = {
  state: state as ReadonlySignal<LiveState>,

  /**
   * Grows when events may have been missed, and lists must be read anew. So it does when the stream first opens: what
   * was read before may lack what has happened since.
   */
  resyncs: resyncs as ReadonlySignal<number>,

  /** Call it once somebody is signed in who may read events. */
  start(): void {
    if (state.peek() !== 'off') return;
    state.value = 'connecting';
    document.addEventListener('visibilitychange', reopen);
    addEventListener('online', reopen);
    reopen();
  },

  stop(): void {
    document.removeEventListener('visibilitychange', reopen);
    removeEventListener('online', reopen);
    batch.drop();
    close();
    lastEventId = undefined;
    state.value = 'off';
  },

  /** Passes each event once and in order, some at a time. Returns a function that unsubscribes. */
  subscribe(listener: Listener): () => void {
    listeners.add(listener);
    return () => listeners.delete(listener);
  },
};

/** Passes events to the listener of the last render while the component is mounted. */
export function useLive(listener: Listener): void {
  const latest = useRef(listener);
  latest.current = listener;
  useEffect(() => live.subscribe((events) => latest.current(events)), []);
}

/** Replaces the connection, which may be dead without an error after sleep. A hidden page has none. */
function reopen(): void {
  close();
  if (document.hidden) return;
  reading = new AbortController();
  slowTimer = setTimeout(onBroken, SLOW_OPEN_MS);
  void follow(reading.signal);
}

function close(): void {
  reading?.abort();
  clearTimeout(slowTimer);
  batch.flush();
}

/** The SDK opens a stream that breaks again, after the last event; `fleetFetch` tells the session of a 401 or 403. */
async function follow(signal: AbortSignal): Promise<void> {
  const onConnection = (isOpen: boolean) => {
    if (signal.aborted) return;
    if (isOpen) onOpen();
    else onBroken();
  };
  while (!signal.aborted) {
    if (Date.now() - heardAt > MAX_GAP_MS) lastEventId = undefined;
    const options = { lastEventId, signal, outageMs: MAX_GAP_MS, onConnection };
    try {
      for await (const { id, event, data } of fleet.events('/events', options)) {
        if (event === 'resync') break;
        add(id, data);
      }
      // All that the fleet keeps would follow, up to 100,000 events.
      lastEventId = undefined;
    } catch (error) {
      // It is tried again, unless this tab has closed it. An event that cannot be read would come again, too.
      if (!signal.aborted && !(error instanceof FleetError)) {
        lastEventId = undefined;
        reportError(error);
      }
    }
    onConnection(false);
    await new Promise((resolve) => setTimeout(resolve, RETRY_MS));
  }
}

function onOpen(): void {
  clearTimeout(slowTimer);
  state.value = 'live';
  if (lastEventId !== undefined) return;
  heardAt = Date.now();
  resyncs.value += 1;
}

function onBroken(): void {
  clearTimeout(slowTimer);
  state.value = 'reconnecting';
}

function add(id: string, event: Event): void {
  lastEventId = id;
  heardAt = Date.now();
  batch.add(event);
}

function deliver(events: Event[]): void {
  for (const listener of [...listeners]) {
    try {
      listener(events);
    } catch (error) {
      reportError(error);
    }
  }
}
