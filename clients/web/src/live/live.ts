import type { Event } from '@agent-fleet/sdk';
import { type ReadonlySignal, signal } from '@preact/signals';
import { createEventQueue } from './event-queue.ts';
import { MAX_GAP_MS } from './event-stream.ts';
import type { LiveTab } from './live-tab.ts';
import { openLoneTab } from './lone-tab.ts';
import type { LiveState } from './messages.ts';
import { onNextFrame } from './schedule.ts';
import { openSharedTab } from './shared-tab.ts';
import { announceSignOut, onSignOut, type SignOutReason } from './sign-out.ts';

type Listener = (events: readonly Event[]) => void;

interface StartOptions {
  /** The session is over. Live events have stopped. */
  onSignedOut: (reason: SignOutReason) => void;
  /** False for a user without the scope `events:read`: nothing is live then. Default true. */
  mayRead?: boolean;
}

const state = signal<LiveState>('off');
const resyncs = signal(0);
const listeners = new Set<Listener>();
let started: StartOptions | undefined;
let close: (() => void) | undefined;
let suspendedAt = 0;

const queue = createEventQueue({
  schedule: onNextFrame,
  deliver,
  onMissed() {
    resyncs.value += 1;
  },
});

/** The events of the fleet as they happen, over one stream for all tabs of the browser. */
export const live = {
  state: state as ReadonlySignal<LiveState>,

  /**
   * Grows when events may have been missed, and lists must be read anew. So it does when the stream first opens: what
   * was read before may lack what has happened since.
   */
  resyncs: resyncs as ReadonlySignal<number>,

  /** Call it once somebody is signed in. */
  start(options: StartOptions): void {
    if (!started) {
      state.value = options.mayRead === false ? 'off' : 'connecting';
      addEventListener('pagehide', suspend);
      addEventListener('pageshow', resume);
      document.addEventListener('freeze', suspend);
      document.addEventListener('resume', resume);
    }
    started = options;
    resume();
  },

  stop(): void {
    started = undefined;
    suspend();
    removeEventListener('pagehide', suspend);
    removeEventListener('pageshow', resume);
    document.removeEventListener('freeze', suspend);
    document.removeEventListener('resume', resume);
    queue.reset();
    state.value = 'off';
  },

  /** Passes each event once, in batches: at most one a frame. Returns a function that unsubscribes. */
  subscribe(listener: Listener): () => void {
    listeners.add(listener);
    return () => listeners.delete(listener);
  },

  /** Call it at sign-out: the other tabs stop, and call their `onSignedOut`. */
  announceSignOut: () => announceSignOut('signed-out'),
};

function deliver(events: readonly Event[]): void {
  for (const listener of [...listeners]) {
    try {
      listener(events);
    } catch (error) {
      reportError(error);
    }
  }
}

/** A page that the browser puts aside must hold neither the stream nor the lead. */
function suspend(): void {
  close?.();
  close = undefined;
  suspendedAt = Date.now();
}

function resume(): void {
  if (close || !started) return;
  if (Date.now() - suspendedAt > MAX_GAP_MS) queue.reset();
  const tab = started.mayRead === false ? undefined : openTab();
  const ignore = onSignOut(end);
  close = () => {
    ignore();
    tab?.close();
  };
}

function openTab(): LiveTab {
  const open = (navigator.locks as LockManager | undefined) === undefined ? openLoneTab : openSharedTab;
  return open(queue, {
    onState(next) {
      state.value = next;
    },
    onSignedOut() {
      // First: whoever leads next must know.
      announceSignOut('expired');
      end('expired');
    },
  });
}

function end(reason: SignOutReason): void {
  const options = started;
  live.stop();
  options?.onSignedOut(reason);
}
