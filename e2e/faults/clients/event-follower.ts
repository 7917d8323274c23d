import { setTimeout as sleep } from 'node:timers/promises';
import { until } from '@agent-fleet/shared/testing/until';
import { type FleetEvent, parseEvents } from '../../harness/event-stream.ts';
import { API_KEY } from '../../harness/local-fleet.ts';
import type { Ledger } from './ledger.ts';

const AGAIN_MS = 300;
/** Without a comment for so long, the stream is lost. */
const SILENT_MS = 20_000;
/** Until the last event has arrived, also after a lost stream. */
const COMPLETE_MS = SILENT_MS + 10_000;

/** Follows the events of the fleet by Server-Sent Events, and resumes by `Last-Event-ID` whatever breaks. */
export class EventFollower {
  readonly #url: string;
  readonly #ledger: Ledger;
  readonly #seen: FleetEvent[] = [];
  #isOver = false;
  #abort = new AbortController();

  constructor(baseUrl: string, ledger: Ledger) {
    this.#url = `${baseUrl}/events`;
    this.#ledger = ledger;
  }

  async run(): Promise<void> {
    while (!this.#isOver) {
      await this.#follow().catch((error: unknown) => this.#ledger.write('follower', { error: String(error) }));
      await sleep(AGAIN_MS);
    }
  }

  stop(): void {
    this.#isOver = true;
    this.#abort.abort();
  }

  /** Waits for the last stored event. Every one since the first that was seen was seen once. */
  async check(stored: readonly FleetEvent[]): Promise<void> {
    const last = Number(stored.at(-1)?.id ?? 0);
    const isComplete = () => Number(this.#seen.at(-1)?.id) >= last;
    await until(isComplete, { timeoutMs: COMPLETE_MS }).catch(() => {
      this.#ledger.violate(`the stream ends with event ${this.#seen.at(-1)?.id}, and ${last} are stored`);
    });
    let before: number | undefined;
    const types = new Map(stored.map((event) => [event.id, `${event.type} ${event.task_id ?? event.agent_id}`]));
    for (const event of this.#seen) {
      const number = Number(event.id);
      // It has happened since they were listed.
      if (number > last) break;
      if (before !== undefined && number !== before + 1) {
        this.#ledger.violate(`the stream has event ${number} after ${before}`);
      }
      before = number;
      const told = `${event.type} ${event.task_id ?? event.agent_id}`;
      const kept = types.get(event.id);
      if (kept !== told) this.#ledger.violate(`event ${number} was streamed as ${told}, and is ${kept}`);
    }
  }

  async #follow(): Promise<void> {
    const last = this.#seen.at(-1)?.id;
    this.#abort = new AbortController();
    let timer = setTimeout(() => this.#abort.abort(), SILENT_MS);
    const headers = {
      accept: 'text/event-stream',
      'x-api-key': API_KEY,
      ...(last !== undefined && { 'last-event-id': last }),
    };
    try {
      const response = await fetch(this.#url, { headers, signal: this.#abort.signal });
      if (!response.ok || !response.body) throw new Error(`${response.status} ${await response.text()}`);
      let text = '';
      for await (const part of response.body.pipeThrough(new TextDecoderStream())) {
        clearTimeout(timer);
        timer = setTimeout(() => this.#abort.abort(), SILENT_MS);
        text += part;
        const end = text.lastIndexOf('\n\n') + 2;
        if (end > 1) this.#take(text.slice(0, end));
        if (end > 1) text = text.slice(end);
      }
    } finally {
      clearTimeout(timer);
    }
  }

  #take(text: string): void {
    for (const { event, data } of parseEvents(text)) {
      // Redis has lost the end of the stream: events that were shown are not stored.
      if (event === 'resync') this.#ledger.violate(`resync to ${data.id} after event ${this.#seen.at(-1)?.id}`);
      else this.#seen.push(data);
    }
  }
}
