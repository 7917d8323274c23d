import type { Lease } from '@agent-fleet/sdk';
import { pause, pauseMs } from './backoff.ts';
import { isLeaseLost, isUnauthorized, isUnavailable, messageOf } from './errors.ts';
import type { FleetClient } from './fleet-client.ts';
import type { LogOptions } from './options.ts';
import type { LogEntry } from './task.ts';

/** How long an entry waits for others. */
const COLLECT_MS = 200;
const MAX_ENTRIES = 100;
/** Of JSON, within the limit of the fleet for a request. */
const MAX_BATCH_BYTES = 1024 * 1024;
/** What waits for the fleet; then the oldest entries are dropped. */
const MAX_WAITING = 2_000;
const MAX_WAITING_BYTES = 4 * 1024 * 1024;
/** Limit of the fleet for a text, as UTF-8. */
const MAX_TEXT_BYTES = 16_384;
const MAX_PAUSE_MS = 5_000;

export interface TaskLogOptions {
  client: FleetClient;
  lease: Lease;
  /** Called when the fleet refuses entries. */
  onRefused(message: string): void;
}

interface Waiting {
  entry: LogEntry;
  bytes: number;
  /** Stands for a refused entry. */
  isNote?: boolean;
}

const STREAMS: readonly unknown[] = ['stdout', 'stderr', 'agent', 'system'];
/** Names of syslog, Python, log4j, winston and others for the levels that are not `info`, by their beginnings. */
const LEVELS = [
  ['error', /^(err|crit|fatal|alert|emerg|panic|severe)/i],
  ['warn', /^warn/i],
  ['debug', /^(debug|trace|verbose|silly|fine|notset)/i],
] as const;

/**
 * Sends the log entries of a task in batches, five times a second at most. It neither fails nor delays the task: while
 * the fleet is unavailable entries wait in a bounded buffer. A batch whose response is lost is sent again. A refused
 * one is halved until the entry is alone that is the cause.
 */
export class TaskLog {
  readonly #options: TaskLogOptions;
  readonly #stop = new AbortController();
  #waiting: Waiting[] = [];
  #bytes = 0;
  #dropped = 0;
  /** Entries of the next batch, leaving room for the note about dropped entries. */
  #maxEntries = MAX_ENTRIES - 1;
  #sending: Promise<void> | undefined;
  /** Aborts when nothing more is added. */
  readonly #ending = new AbortController();

  constructor(options: TaskLogOptions) {
    this.#options = options;
  }

  /** A text over 16 KiB becomes several entries. */
  add(text: string, { level, stream, type, data }: LogOptions = {}): void {
    if (this.#ending.signal.aborted) return;
    const at = new Date().toISOString();
    const known = { level: toLevel(level), stream: STREAMS.includes(stream) ? stream : undefined };
    const typed = type !== undefined && type !== 'log';
    if (typed) this.#push({ entry: { at, ...known, type, data, ...(text !== '' && { text }) } as LogEntry });
    else for (const part of splitText(String(text).toWellFormed())) this.#push({ entry: { at, ...known, text: part } });
    this.#sending ??= this.#send().finally(() => {
      this.#sending = undefined;
    });
  }

  /** Resolves when all entries are sent, after `ms` at the latest. */
  async sent(ms: number): Promise<void> {
    await Promise.race([this.#sending, pause(ms, this.#stop.signal)]);
  }

  /** Sends what waits, for at most `ms`; entries that are added later are ignored. */
  async end(ms: number): Promise<void> {
    this.#ending.abort();
    const timer = setTimeout(() => this.#stop.abort(), ms);
    await this.#sending;
    clearTimeout(timer);
    this.#stop.abort();
  }

  #push({ entry, isNote }: Omit<Waiting, 'bytes'>): void {
    const bytes = Buffer.byteLength(JSON.stringify(entry));
    this.#waiting.push({ entry, bytes, isNote });
    this.#bytes += bytes;
    while (this.#waiting.length > MAX_WAITING || this.#bytes > MAX_WAITING_BYTES) {
      this.#bytes -= this.#waiting.shift()?.bytes ?? 0;
      this.#dropped += 1;
    }
  }

  async #send(): Promise<void> {
    const { signal } = this.#stop;
    for (let failures = 0; this.#waiting.length > 0 && !signal.aborted; ) {
      if (failures === 0 && this.#waiting.length < this.#maxEntries) await pause(COLLECT_MS, this.#ending.signal);
      const batch = this.#takeBatch();
      const outcome = await this.#sendBatch(batch);
      if (outcome === 'stop') return this.#clear();
      if (outcome === 'sent') failures = 0;
      else if (outcome !== 'refused') {
        this.#putBack(batch);
        failures += 1;
        await pause(Math.min(pauseMs(failures, outcome.error), MAX_PAUSE_MS), signal);
      }
    }
  }

  async #sendBatch(batch: Waiting[]): Promise<'sent' | 'refused' | 'stop' | { error: unknown }> {
    const { client, lease } = this.#options;
    const dropped = this.#dropped;
    const text = `${dropped} earlier entries were dropped: the fleet did not take them in time`;
    const note = dropped > 0 ? [systemEntry(text)] : [];
    try {
      await client.log(lease, [...note, ...batch.map(({ entry }) => entry)], this.#stop.signal);
      this.#dropped -= dropped;
      this.#maxEntries = Math.min(this.#maxEntries * 2, MAX_ENTRIES - 1);
      return 'sent';
    } catch (error) {
      if (this.#stop.signal.aborted || isLeaseLost(error)) return 'stop';
      if (isUnavailable(error) || isUnauthorized(error)) return { error };
      this.#onRefused(batch, messageOf(error));
      return 'refused';
    }
  }

  #onRefused(batch: Waiting[], message: string): void {
    this.#maxEntries = Math.ceil(batch.length / 2);
    if (batch.length > 1) this.#putBack(batch);
    else if (!batch[0]?.isNote) {
      this.#options.onRefused(message);
      const entry = systemEntry(`A log entry was refused: ${message}`);
      this.#putBack([{ entry, bytes: 0, isNote: true }]);
    }
  }

  #takeBatch(): Waiting[] {
    let count = 0;
    let bytes = 0;
    for (const waiting of this.#waiting.slice(0, this.#maxEntries)) {
      bytes += waiting.bytes;
      if (count > 0 && bytes > MAX_BATCH_BYTES) break;
      count += 1;
    }
    const batch = this.#waiting.splice(0, count);
    for (const { bytes } of batch) this.#bytes -= bytes;
    return batch;
  }

  #putBack(batch: Waiting[]): void {
    const newer = this.#waiting;
    this.#waiting = [];
    this.#bytes = 0;
    for (const waiting of [...batch, ...newer]) this.#push(waiting);
  }

  #clear(): void {
    this.#ending.abort();
    this.#waiting = [];
    this.#bytes = 0;
  }
}

function toLevel(level: unknown): LogEntry['level'] {
  return LEVELS.find(([, names]) => names.test(String(level)))?.[0] ?? 'info';
}

function systemEntry(text: string): LogEntry {
  return { at: new Date().toISOString(), level: 'warn', stream: 'system', text };
}

/** Parts of at most 16 KiB as UTF-8, in whole characters. */
function splitText(text: string): string[] {
  if (text.length * 3 <= MAX_TEXT_BYTES || Buffer.byteLength(text) <= MAX_TEXT_BYTES) return [text];
  const bytes = Buffer.from(text);
  const parts: string[] = [];
  for (let begin = 0; begin < bytes.length && parts.length < MAX_WAITING; ) {
    let end = Math.min(begin + MAX_TEXT_BYTES, bytes.length);
    // Not within a character: its further bytes are 10xxxxxx.
    while (end < bytes.length && ((bytes[end] as number) & 0xc0) === 0x80) end -= 1;
    parts.push(bytes.toString('utf8', begin, end));
    begin = end;
  }
  return parts;
}
