import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { REQUEST_ID_HEADER } from '@agent-fleet/shared/http/request-id';
import type { Response } from 'express';

/** Items per read for a client that is behind. */
const PAGE = 100;
/** A client with more unread bytes is behind: it gets the missed items from the store at its own pace. */
const MAX_UNREAD_BYTES = 64 * 1024;
/** After which time a client reconnects, in ms: when many streams end at once, not all in the same moment. */
const RETRY_MS = { min: 500, max: 1_500 };
/** Line ends for many readers of event streams (Python's `splitlines`, JavaScript's `.`), but not in the standard. */
const OTHER_LINE_ENDS = /[\u0085\u2028\u2029]/g;

interface Options {
  res: Response;
  stalledMs: number;
}

/**
 * Sends one client the items that it missed, page by page as it reads, then new ones. Buffers at most two pages and
 * `MAX_UNREAD_BYTES`. Disconnects a client that reads nothing for `stalledMs`.
 */
export class StreamClient<Item extends StreamItem> {
  readonly #source: StreamSource<Item>;
  readonly #res: Response;
  readonly #stalledMs: number;
  /** Number of the last item sent. */
  #last = 0;
  #isLive = false;
  /** New items that have arrived during the read of past ones, at most a page. */
  #arrived: Item[] = [];
  /** Other items have arrived, or may have been missed, during the read. */
  #isBehind = false;
  #mayHaveEnded = true;

  constructor(source: StreamSource<Item>, { res, stalledMs }: Options) {
    this.#source = source;
    this.#res = res;
    this.#stalledMs = stalledMs;
  }

  async begin(after: number | undefined, requestId: string): Promise<void> {
    if (after !== undefined && (await this.#isOver(after))) {
      this.#res.writeHead(204, { [REQUEST_ID_HEADER]: requestId }).end();
      return;
    }
    const from = after ?? (await this.#source.findStart());
    this.#last = from ?? 0;
    this.#res.writeHead(200, {
      'content-type': 'text/event-stream; charset=utf-8',
      'cache-control': 'no-store',
      'x-accel-buffering': 'no',
      [REQUEST_ID_HEADER]: requestId,
    });
    this.#res.write(`retry: ${randomInt(RETRY_MS.min, RETRY_MS.max + 1)}\n\n`);
    await this.#catchUp(from);
  }

  /**
   * Sends a comment, so that proxies keep an idle connection open. A client that does not see all items also gets the
   * id of the last one: if it reconnects, no others are read again.
   */
  comment(): void {
    if (!this.#isLive || this.#res.writableEnded) return;
    this.#res.write(this.#source.isFiltered ? `:\nid: ${this.#last}\n\n` : ':\n\n');
  }

  onItem(item: Item): void {
    if (!this.#isLive) {
      if (this.#arrived.length < PAGE) this.#arrived.push(item);
      else this.#isBehind = true;
      return;
    }
    if (item.number <= this.#last) return;
    const isNext = this.#source.isNext(item, this.#last) && this.#res.writableLength <= MAX_UNREAD_BYTES;
    if (isNext) this.#send(item);
    else this.onChange(true);
  }

  /** Sends what is stored nowhere; a client that is behind does not get it. */
  onDelta(json: string): void {
    if (!this.#isLive || this.#res.writableEnded || this.#res.writableLength > MAX_UNREAD_BYTES) return;
    this.#res.write(`event: delta\ndata: ${escapeLineEnds(json)}\n\n`);
  }

  /** There may be items that `onItem` did not get. */
  onChange(mayHaveEnded: boolean): void {
    this.#mayHaveEnded ||= mayHaveEnded;
    if (this.#isLive) this.#catchUp(this.#last).catch(() => this.#res.destroy());
    else this.#isBehind = true;
  }

  async #catchUp(from: number | undefined): Promise<void> {
    this.#isLive = false;
    for (let after = from; ; ) {
      await this.#drained();
      if (this.#res.closed || this.#res.writableEnded) return;
      this.#arrived = [];
      this.#isBehind = false;
      const page = await this.#source.read(after, PAGE);
      for (const item of page.items) this.#send(item);
      after = page.next;
      this.#last = page.next;
      if (page.isLast && !this.#isBehind) break;
    }
    this.#isLive = true;
    for (const item of this.#arrived.splice(0)) this.onItem(item);
    if (this.#isLive && this.#mayHaveEnded) await this.#checkEnd();
  }

  /** The last item may no longer be kept. */
  async #checkEnd(): Promise<void> {
    this.#mayHaveEnded = false;
    if (!this.#res.writableEnded && (await this.#isOver(this.#last))) this.#res.end();
  }

  /** @throws when the client reads nothing for `stalledMs` */
  async #drained(): Promise<void> {
    if (!this.#res.writableNeedDrain || this.#res.closed) return;
    await once(this.#res, 'drain', { signal: AbortSignal.timeout(this.#stalledMs) });
  }

  #send(item: Item): void {
    if (this.#res.writableEnded) return;
    this.#last = item.number;
    const message = this.#source.toMessage(item);
    if (!message) return;
    this.#res.write(`id: ${item.number}\nevent: ${message.type}\ndata: ${escapeLineEnds(message.json)}\n\n`);
    if (this.#source.isEnd(item)) this.#res.end();
  }

  /** Whether no item can follow a number. */
  async #isOver(after: number): Promise<boolean> {
    const end = await this.#source.findEnd();
    return end === 'gone' || (end === 'ended' && (await this.#source.read(after, 1)).items.length === 0);
  }
}

function escapeLineEnds(json: string): string {
  return json.replace(OTHER_LINE_ENDS, (end) => `\\u${end.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

/** An event or a log entry. Numbers increase within a stream. */
export interface StreamItem {
  number: number;
}

export interface StreamPage<Item extends StreamItem> {
  items: Item[];
  /** The number after which the next page starts; includes skipped items. */
  next: number;
  /** Whether there are no more items now. */
  isLast: boolean;
}

/**
 * Whether more items of a stream may follow: not when its agent or task no longer exists (`gone`); an `ended` task may
 * have items that were not sent yet.
 */
export type StreamEnd = 'open' | 'ended' | 'gone';

/** Is notified of what happens in a stream. */
interface StreamListener<Item extends StreamItem> {
  onItem(item: Item): void;
  /** There may be items that `onItem` did not get; with `mayHaveEnded`, the stream may also have ended. */
  onChange(mayHaveEnded: boolean): void;
  /** Live text that no item has yet. */
  onDelta(json: string): void;
  /** The agent was deleted. */
  onGone(): void;
}

/** A stream as its clients see it: stored items, and new ones as they arrive. */
export interface StreamSource<Item extends StreamItem = StreamItem> {
  /** Where a stream starts by default: after this number; undefined: with the first item that is kept. */
  findStart(): Promise<number | undefined>;
  /** Reads up to `limit` items after a number, or of all that are kept. */
  read(after: number | undefined, limit: number): Promise<StreamPage<Item>>;
  findEnd(): Promise<StreamEnd>;
  /** Whether there is no item between number `last` and this one, which has just arrived. */
  isNext(item: Item, last: number): boolean;
  /** Whether no item follows this one. */
  isEnd(item: Item): boolean;
  /** The type and the JSON of a message; undefined for an item that the client does not get. */
  toMessage(item: Item): { type: string; json: string } | undefined;
  /** Whether the client gets only some items. */
  isFiltered: boolean;
  /** Returns a function that unsubscribes. */
  subscribe(listener: StreamListener<Item>): () => void;
}
