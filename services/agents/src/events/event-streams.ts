import { once } from 'node:events';
import { httpError } from '@agent-fleet/shared/errors';
import type { Logger } from '@agent-fleet/shared/logger';
import { REQUEST_ID_HEADER } from '@agent-fleet/shared/request-id';
import type { Request, Response } from 'express';
import { withEventId } from './event.ts';
import type { EventStore, EventStream, StoredEvent } from './event-store.ts';
import type { FedEvent, Feed } from './feed.ts';

const COMMENT_EVERY_MS = 15_000;
const PAGE = 100;
/** What a client has not read of the past yet: the next page waits for it, so long and no longer. */
const DRAIN_MS = 30_000;
/** What a client may leave unread of the present before it is cut off. */
const MAX_UNREAD_BYTES = 1024 * 1024;
const MAX_STREAMS = 5_000;

/** Open streams of Server-Sent Events. */
export interface EventStreams {
  /** Answers with events after number `after`, or from now on (a task's: from its first), until the client goes. */
  open(stream: EventStream, after: number | undefined, req: Request, res: Response): Promise<void>;
  /** Ends all streams: their clients come back, to another replica. */
  close(): void;
}

export function createEventStreams(store: EventStore, feed: Feed, logger: Logger): EventStreams {
  const open = new Set<Response>();
  let closed = false;

  return {
    async open(stream, after, req, res) {
      if (open.size >= MAX_STREAMS || closed) {
        throw httpError('overloaded', 'Too many streams at once; try again', { headers: { 'retry-after': '1' } });
      }
      const client = new Client(stream, store, res);
      const offs = [feed.on(keyOf(stream), (event) => client.take(event))];
      if (stream.taskId !== undefined) {
        // The events of a task do not tell that its agent was deleted.
        offs.push(feed.on(`agent:${stream.agentId}`, (event) => event && isRemoval(event) && res.end()));
      }
      const off = () => {
        for (const end of offs) end();
      };
      open.add(res);
      const comments = setInterval(() => res.write(':\n\n'), COMMENT_EVERY_MS);
      res.on('close', () => {
        off();
        open.delete(res);
        clearInterval(comments);
      });
      try {
        await client.begin(after, req.headers[REQUEST_ID_HEADER] as string);
      } catch (error) {
        if (!res.headersSent) {
          off();
          open.delete(res);
          clearInterval(comments);
          throw error;
        }
        logger.warn({ err: error }, 'a stream of events is broken off');
        res.destroy();
      }
    },

    close() {
      closed = true;
      for (const res of open) res.end();
    },
  };
}

/** One client of a stream: first what it has missed, page by page as it reads, then what comes. */
class Client {
  readonly #stream: EventStream;
  readonly #store: EventStore;
  readonly #res: Response;
  /** The number of the last event that it has. */
  #last = 0;
  #isLive = false;
  /** Something has come while it was reading its past. */
  #isBehind = false;

  constructor(stream: EventStream, store: EventStore, res: Response) {
    this.#stream = stream;
    this.#store = store;
    this.#res = res;
  }

  async begin(after: number | undefined, requestId: string): Promise<void> {
    const isWhole = this.#stream.taskId !== undefined && after === undefined;
    const from = isWhole ? undefined : (after ?? (await this.#store.readLast(this.#stream)));
    this.#last = from ?? 0;
    const res = this.#res;
    res.writeHead(200, {
      'content-type': 'text/event-stream; charset=utf-8',
      'cache-control': 'no-store',
      'x-accel-buffering': 'no',
      [REQUEST_ID_HEADER]: requestId,
    });
    res.write('retry: 1000\n\n');
    await this.#catchUp(from);
  }

  /** Undefined: something may have been missed. */
  take(event: FedEvent | undefined): void {
    if (!this.#isLive) {
      this.#isBehind = true;
      return;
    }
    const number = event && (this.#stream.agentId === undefined ? event.fleetNumber : event.agentNumber);
    if (event && number !== undefined && number <= this.#last) return;
    const isNext = number === this.#last + 1 || (number !== undefined && this.#stream.taskId !== undefined);
    if (!event || number === undefined || !isNext) {
      this.#catchUp(this.#last).catch(() => this.#res.destroy());
      return;
    }
    this.#send({ number, json: withEventId(number, event.json) }, event.status);
    if (this.#stream.agentId !== undefined && isRemoval(event)) this.#res.end();
    if (this.#res.writableLength > MAX_UNREAD_BYTES) this.#res.destroy();
  }

  async #catchUp(from: number | undefined): Promise<void> {
    this.#isLive = false;
    for (let after = from; ; ) {
      this.#isBehind = false;
      const page = await this.#store.read(this.#stream, after, PAGE);
      for (const event of page.events) this.#send(event, statusOf(event));
      if (this.#res.closed || this.#res.writableEnded) return;
      if (this.#res.writableNeedDrain) await once(this.#res, 'drain', { signal: AbortSignal.timeout(DRAIN_MS) });
      after = page.next;
      this.#last = page.next;
      if (page.isLast && !this.#isBehind) break;
    }
    this.#isLive = true;
  }

  #send({ number, json }: StoredEvent, status: string | undefined): void {
    if (this.#res.writableEnded) return;
    this.#last = number;
    const { type } = JSON.parse(json) as { type: string };
    this.#res.write(`id: ${number}\nevent: ${type}\ndata: ${json}\n\n`);
    if (this.#stream.taskId !== undefined && status !== undefined && ENDS.has(status)) this.#res.end();
  }
}

function isRemoval({ taskId, status }: FedEvent): boolean {
  return taskId === '' && status === 'deleted';
}

const ENDS = new Set(['completed', 'failed', 'cancelled', 'deleted']);

function statusOf({ json }: StoredEvent): string | undefined {
  return (JSON.parse(json) as { status?: string }).status;
}

function keyOf({ agentId, taskId }: EventStream): string {
  if (taskId !== undefined) return `task:${taskId}`;
  return agentId === undefined ? 'fleet' : `agent:${agentId}`;
}
