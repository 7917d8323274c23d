import type { Event } from '@agent-fleet/sdk';
import { type ReadonlySignal, signal } from '@preact/signals';

export type LiveState = 'off' | 'connecting' | 'live' | 'reconnecting';

/** Placeholder until the real one is there. */
export const live = {
  state: signal<LiveState>('off') as ReadonlySignal<LiveState>,
  resyncs: signal(0) as ReadonlySignal<number>,
  start(_options: { onSignedOut: () => void }): void {},
  stop(): void {},
  announceSignOut(): void {},
  subscribe(_listener: (events: readonly Event[]) => void): () => void {
    return () => {};
  },
};
