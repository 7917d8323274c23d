import type { Lease } from '@agent-fleet/sdk';
import type { FleetClient } from '../fleet-client.ts';

/** The fleet takes ten a second. */
const INTERVAL_MS = 110;
/** Between those of all attempts of a worker, whose requests share the rate limit of its key. */
const SHARED_INTERVAL_MS = 50;
/** Of UTF-16, well within 16 KiB as UTF-8. */
const MAX_TEXT = 5_000;

/** Attempts that have live text to send. */
let sending = 0;

/** Sends live text ten times a second at most. What the fleet does not take at once is dropped: entries follow. */
export function createDeltas(client: Pick<FleetClient, 'delta'>, lease: Lease, signal: AbortSignal) {
  const waiting = new Map<string | undefined, string>();
  let isScheduled = false;
  const schedule = () => {
    if (isScheduled) return;
    isScheduled = true;
    sending += 1;
    setTimeout(send, Math.max(INTERVAL_MS, SHARED_INTERVAL_MS * sending));
  };
  const send = () => {
    isScheduled = false;
    sending -= 1;
    const [next] = waiting;
    if (next === undefined || signal.aborted) return;
    const [callId, text] = next;
    waiting.delete(callId);
    client.delta(lease, { text, ...(callId !== undefined && { call_id: callId }) }, signal).catch(() => {});
    schedule();
  };
  return {
    add(text: string, callId?: string): void {
      waiting.set(callId, ((waiting.get(callId) ?? '') + text).slice(-MAX_TEXT));
      schedule();
    },
    /** The entry that has all of it comes now. */
    clear(): void {
      waiting.clear();
    },
  };
}
