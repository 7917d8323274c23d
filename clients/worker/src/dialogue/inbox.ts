import type { Lease } from '@agent-fleet/sdk';
import { pause, pauseMs } from '../backoff.ts';
import { isLeaseLost } from '../errors.ts';
import type { FleetClient, InboxItem } from '../fleet-client.ts';

const WAIT_SECONDS = 30;
/** Minimum between polls that return nothing. */
const EMPTY_POLL_MS = 1_000;

interface InboxOptions {
  client: Pick<FleetClient, 'inbox'>;
  lease: Lease;
  /** Receives each item once, in order. */
  onItem(item: InboxItem): void;
  /** Ends it. */
  signal: AbortSignal;
}

export type Inbox = ReturnType<typeof followInbox>;

/**
 * Reads what people say to the holder of a lease, by one long poll after the other: each acknowledges what came before.
 * It goes on while the fleet is unavailable, and ends with the lease.
 */
export function followInbox({ client, lease, onItem, signal }: InboxOptions) {
  const read = Promise.withResolvers<void>();
  let woken = Promise.withResolvers<void>();
  let taken = 0;

  const rest = (ms: number) => Promise.race([pause(ms, signal), woken.promise]);

  async function follow(): Promise<void> {
    for (let failures = 0, waitSeconds = 0; !signal.aborted; ) {
      const beganAt = performance.now();
      try {
        const items = await client.inbox(lease, { after: taken || undefined, waitSeconds }, signal);
        for (const item of items.filter(({ n }) => n > taken)) {
          taken = item.n;
          onItem(item);
        }
        read.resolve();
        if (items.length === 0 && waitSeconds > 0) await rest(beganAt + EMPTY_POLL_MS - performance.now());
        failures = 0;
        waitSeconds = WAIT_SECONDS;
      } catch (error) {
        if (isLeaseLost(error)) return;
        failures += 1;
        // As when this worker has more polls than the fleet lets wait: then heartbeats say that there is something.
        waitSeconds = 0;
        await rest(pauseMs(failures, error));
      }
    }
  }

  void follow().finally(read.resolve);
  return {
    /** Resolves when what was there at the start has been passed on, or never will. */
    ready: read.promise,
    /** Called with the number of the last item that the fleet has. */
    onLast(last: number): void {
      if (last <= taken) return;
      woken.resolve();
      woken = Promise.withResolvers();
    },
  };
}
