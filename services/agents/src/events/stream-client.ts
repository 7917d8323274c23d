import { once } from 'node:events';
import { REQUEST_ID_HEADER } from '@agent-fleet/shared/http/request-id';
import type { Response } from 'express';
import { endsTask, toEventJson } from './event.ts';
import type { EventStore, EventStream, NumberedEvent } from './event-store.ts';
import type { FeedEvent } from './feed.ts';
import { isVisible } from './visible-events.ts';

/** Events per read for a client that is behind. */
const PAGE = 100;
/** A client with more unread bytes is behind: it gets the missed events from the store at its own pace. */
const MAX_UNREAD_BYTES = 64 * 1024;

/**
 * Whether more events of a stream may follow: not when its agent or task no longer exists (`gone`); an `ended` task may
 * have events that were not sent yet.
 */
export type FindEnd = (stream: EventStream) => Promise<'open' | 'ended' | 'gone'>;

interface Options {
  store: EventStore;
  findEnd: FindEnd;
  res: Response;
  stalledMs: number;
}

/**
 * Sends one client the events that it missed, page by page as it reads, then new events. Buffers at most two pages and
 * `MAX_UNREAD_BYTES`. Disconnects a client that reads nothing for `stalledMs`.
 */
export class StreamClient {
  readonly #stream: EventStream;
  readonly #options: Options;
  readonly #res: Response;
  /** Number of the last event sent. */
  #last = 0;
  #isLive = false;
  /** New events that have arrived during the read of past ones, at most a page. */
  #arrived: FeedEvent[] = [];
  /** Other events have arrived, or may have been missed, during the read. */
  #isBehind = false;

  constructor(stream: EventStream, options: Options) {
    this.#stream = stream;
    this.#options = options;
    this.#res = options.res;
  }

  async begin(after: number | undefined, requestId: string): Promise<void> {
    const { store } = this.#options;
    if (after !== undefined && (await this.#isOver(after))) {
      this.#res.writeHead(204, { [REQUEST_ID_HEADER]: requestId }).end();
      return;
    }
    const isWhole = this.#stream.taskId !== undefined && after === undefined;
    const from = isWhole ? undefined : (after ?? (await store.readLast(this.#stream)));
    this.#last = from ?? 0;
    this.#res.writeHead(200, {
      'content-type': 'text/event-stream; charset=utf-8',
      'cache-control': 'no-store',
      'x-accel-buffering': 'no',
      [REQUEST_ID_HEADER]: requestId,
    });
    this.#res.write('retry: 1000\n\n');
    await this.#catchUp(from);
  }

  /**
   * Sends a comment, so that proxies keep an idle connection open. A client that does not see all events also gets the
   * id of the last one: if it reconnects, no others are read again.
   */
  comment(): void {
    if (!this.#isLive || this.#res.writableEnded) return;
    this.#res.write(this.#stream.agents ? `:\nid: ${this.#last}\n\n` : ':\n\n');
  }

  /** Undefined means that events may have been missed. */
  onEvent(event: FeedEvent | undefined): void {
    if (!this.#isLive) {
      if (event && this.#arrived.length < PAGE) this.#arrived.push(event);
      else this.#isBehind = true;
      return;
    }
    const number = event && (this.#stream.agentId === undefined ? event.fleetNumber : event.agentNumber);
    if (event && number !== undefined && number <= this.#last) return;
    const isNext = number === this.#last + 1 || (number !== undefined && this.#stream.taskId !== undefined);
    if (!event || number === undefined || !isNext || this.#res.writableLength > MAX_UNREAD_BYTES) {
      this.#catchUp(this.#last).catch(() => this.#res.destroy());
      return;
    }
    this.#send({ number, event });
  }

  async #catchUp(from: number | undefined): Promise<void> {
    this.#isLive = false;
    for (let after = from; ; ) {
      await this.#drained();
      if (this.#res.closed || this.#res.writableEnded) return;
      this.#arrived = [];
      this.#isBehind = false;
      const page = await this.#options.store.read(this.#stream, after, PAGE);
      for (const event of page.events) this.#send(event);
      after = page.next;
      this.#last = page.next;
      if (page.isLast && !this.#isBehind) break;
    }
    this.#isLive = true;
    for (const event of this.#arrived.splice(0)) this.onEvent(event);
    // The last event may no longer be kept.
    if (this.#isLive && !this.#res.writableEnded && (await this.#isOver(this.#last))) this.#res.end();
  }

  /** @throws when the client reads nothing for `stalledMs` */
  async #drained(): Promise<void> {
    if (!this.#res.writableNeedDrain || this.#res.closed) return;
    await once(this.#res, 'drain', { signal: AbortSignal.timeout(this.#options.stalledMs) });
  }

  #send({ number, event }: NumberedEvent): void {
    if (this.#res.writableEnded) return;
    this.#last = number;
    if (!isVisible(this.#stream, event)) return;
    this.#res.write(`id: ${number}\nevent: ${event.type}\ndata: ${toEventJson(number, event)}\n\n`);
    if (isLast(this.#stream, event)) this.#res.end();
  }

  /** Whether no event can follow a number. */
  async #isOver(after: number): Promise<boolean> {
    const { store, findEnd } = this.#options;
    const end = await findEnd(this.#stream);
    return end === 'gone' || (end === 'ended' && (await store.read(this.#stream, after, 1)).events.length === 0);
  }
}

function isLast({ agentId, taskId }: EventStream, { type, status }: NumberedEvent['event']): boolean {
  if (taskId !== undefined) return endsTask(status);
  return agentId !== undefined && type === 'agent.deleted';
}
