import type { Event } from '@agent-fleet/sdk';
import { useEffect, useRef } from 'preact/hooks';
import { live } from './live.ts';

/** Passes events to the listener of the last render while the component is mounted. */
export function useLive(listener: (events: readonly Event[]) => void): void {
  const latest = useRef(listener);
  latest.current = listener;
  useEffect(() => live.subscribe((events) => latest.current(events)), []);
}
