import type { Lease } from '@agent-fleet/sdk';
import { pauseMs } from './backoff.ts';
import { isLeaseLost, isRefused, isUnauthorized, isUnavailable } from './errors.ts';
import type { FleetClient } from './fleet-client.ts';
import { fieldsOf, type HeartbeatField, type Used } from './task.ts';

/** A lease may be long to outlive an outage, but a cancellation should arrive soon. */
const MAX_INTERVAL_MS = 10_000;
const PROGRESS_MS = 2_000;
/** Of each field: older ones count only if the fleet refuses the newer. */
const MAX_UNSENT = 8;

export interface HeartbeatOptions {
  client: FleetClient;
  lease: Lease;
  /** After so long without a response the lease counts as expired, by this machine's clock alone. Default: never. */
  expiryMs?: number;
  onCancel(): void;
  onLost(): void;
  /** Called with the number of the last item in the inbox. */
  onInbox(last: number): void;
  /** Called when the fleet refuses a field that goes with a heartbeat. */
  onRefused(name: string, error: Error): void;
}

/** Keeps one lease alive until `stop` or until the fleet reports it lost. */
export class Heartbeats {
  readonly #options: HeartbeatOptions;
  readonly #intervalMs: number;
  #timer: NodeJS.Timeout | undefined;
  #expiry: NodeJS.Timeout | undefined;
  /** Fields that the fleet has not taken, oldest first. */
  #unsent: HeartbeatField[] = [];
  /** Whether fields go one by one, the newest first, to find the one that the fleet refuses. */
  #oneByOne = false;
  #beating = false;
  readonly #stop = new AbortController();
  #failures = 0;
  #lastAt = performance.now();

  constructor(options: HeartbeatOptions) {
    this.#options = options;
    this.#intervalMs = Math.min(options.lease.heartbeat_interval_seconds * 1000, MAX_INTERVAL_MS);
    this.#schedule(this.#intervalMs);
    this.#expireAfter(options.expiryMs);
  }

  /** Sent with the next heartbeat, which comes early but at least 2 s after the last one. */
  progress(percent: number | null, message: string | null): void {
    this.#unsent = this.#unsent.filter(([name]) => name !== 'progress');
    this.#unsent.push(['progress', { percent, message }]);
    if (this.#failures === 0) this.#schedule(this.#progressDelayMs());
  }

  /** Sent with the next heartbeat. */
  used(used: Used): void {
    for (const field of fieldsOf(used)) {
      this.#unsent.push(field);
      const [oldest, ...others] = this.#unsent.filter(([name]) => name === field[0]);
      if (others.length >= MAX_UNSENT) this.#unsent = this.#unsent.filter((unsent) => unsent !== oldest);
    }
  }

  /** What the fleet has not taken of what was used, oldest first. */
  unsentUsed(): HeartbeatField[] {
    return this.#unsent.filter(([name]) => name !== 'progress');
  }

  /** Aborts a heartbeat in flight too. */
  stop(): void {
    this.#stop.abort();
    clearTimeout(this.#timer);
    clearTimeout(this.#expiry);
  }

  #schedule(delayMs: number): void {
    if (this.#stop.signal.aborted || this.#beating) return;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => void this.#beat(), delayMs);
  }

  async #beat(): Promise<void> {
    const { client, lease } = this.#options;
    const before = [...this.#unsent];
    const sent = this.#oneByOne ? before.slice(-1) : before;
    const content = Object.fromEntries(sent);
    this.#beating = true;
    this.#lastAt = performance.now();
    let delayMs: number;
    try {
      const { cancelRequested, inbox } = await client.heartbeat(lease, content, this.#stop.signal);
      this.#unsent = this.#unsent.filter((field) => !(before.includes(field) && field[0] in content));
      this.#options.onInbox(inbox);
      delayMs = this.#onAnswer(cancelRequested);
    } catch (error) {
      delayMs = this.#onError(error, sent);
    }
    this.#beating = false;
    this.#schedule(delayMs);
  }

  #onAnswer(cancelRequested: boolean): number {
    this.#failures = 0;
    const { expiryMs } = this.#options;
    // The fleet extends the lease when it receives the request, so never before it was sent.
    this.#expireAfter(expiryMs && expiryMs - (performance.now() - this.#lastAt));
    if (cancelRequested && !this.#stop.signal.aborted) this.#options.onCancel();
    this.#oneByOne &&= this.#unsent.length > 0;
    if (this.#oneByOne) return 0;
    return this.#unsent.some(([name]) => name === 'progress') ? this.#progressDelayMs() : this.#intervalMs;
  }

  #onError(error: unknown, [first, ...others]: HeartbeatField[]): number {
    if (this.#stop.signal.aborted) return 0;
    if (isLeaseLost(error)) {
      this.#lose();
      return 0;
    }
    this.#failures += 1;
    if (isRefused(error) && !isUnauthorized(error) && first !== undefined) {
      this.#oneByOne = true;
      if (others.length > 0) return 0;
      this.#options.onRefused(first[0], error);
      this.#unsent = this.#unsent.filter((field) => field !== first);
      return 0;
    }
    if (!isUnavailable(error)) return this.#intervalMs;
    return Math.min(pauseMs(this.#failures, error), this.#intervalMs);
  }

  #lose(): void {
    if (this.#stop.signal.aborted) return;
    this.stop();
    this.#options.onLost();
  }

  #expireAfter(ms: number | undefined): void {
    clearTimeout(this.#expiry);
    if (ms === undefined || this.#stop.signal.aborted) return;
    this.#expiry = setTimeout(() => this.#lose(), ms);
  }

  #progressDelayMs(): number {
    const dueAt = this.#lastAt + Math.min(PROGRESS_MS, this.#intervalMs);
    return Math.max(0, dueAt - performance.now());
  }
}
