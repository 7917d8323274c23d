import type { Event } from '@agent-fleet/sdk';
import { type ReadonlySignal, signal } from '@preact/signals';

export interface RecentEvents {
  /** Newest first. */
  events: ReadonlySignal<readonly Event[]>;
  /** How many have come since `pause`. */
  waiting: ReadonlySignal<number>;
  /** A listener for `live.subscribe`. */
  add(events: readonly Event[]): void;
  /** Keeps `events` as they are. */
  pause(): void;
  /** Shows what has come since `pause`. */
  resume(): void;
}

/** The newest events, at most `limit`. */
export function createRecentEvents(limit = 500): RecentEvents {
  const events = signal<readonly Event[]>([]);
  const waiting = signal(0);
  let newest: readonly Event[] = [];
  let isPaused = false;

  return {
    events,
    waiting,

    add(added) {
      newest = [...added.slice(-limit).reverse(), ...newest].slice(0, limit);
      if (isPaused) waiting.value += added.length;
      else events.value = newest;
    },

    pause() {
      isPaused = true;
    },

    resume() {
      isPaused = false;
      waiting.value = 0;
      events.value = newest;
    },
  };
}
