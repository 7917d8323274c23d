import type { ServerResponse } from 'node:http';
import { pipeline, Readable, type Transform } from 'node:stream';
import { httpError } from '@agent-fleet/shared/http/errors';

const MAX_STREAMS = 24;
const STALL_MS = 20_000;
const MAX_MS = 10 * 60_000;
const RETRY_SECONDS = 2;

export interface StreamLimits {
  /** Maximum number of concurrent streams. */
  max: number;
  /** A client that reads nothing for this long is disconnected. */
  stallMs: number;
  /** Maximum duration of a response, as its data stays in memory. */
  maxMs: number;
}

/** Streams bodies that may be too large for memory, with backpressure. */
export class BodyStreams {
  readonly #limits: StreamLimits;
  #active = 0;

  constructor(limits: Partial<StreamLimits> = {}) {
    this.#limits = { max: MAX_STREAMS, stallMs: STALL_MS, maxMs: MAX_MS, ...limits };
  }

  get active(): number {
    return this.#active;
  }

  /** Call it when the response will not be a 304. @throws 503 `overloaded` when there are too many streams */
  requireRoom(): void {
    if (this.#active < this.#limits.max) return;
    throw httpError('overloaded', 'Too many large responses are being sent; try again', {
      headers: { 'retry-after': String(RETRY_SECONDS) },
      rejectedBy: 'body_streams',
    });
  }

  /**
   * Responds 200 with `source`, through `transform` if given. Resolves once the response has ended in any way. A
   * failure midway closes the connection, so that no client takes a partial body for a complete one.
   */
  send(res: ServerResponse, source: Readable | AsyncIterable<Buffer>, transform?: Transform): Promise<void> {
    this.requireRoom();
    res.writeHead(200);
    this.#active++;
    const readable = source instanceof Readable ? source : Readable.from(source, { objectMode: false });
    // Counts from the last write; the server resets it for the next request on this connection.
    res.socket?.setTimeout(this.#limits.stallMs);
    const deadline = setTimeout(() => res.destroy(), this.#limits.maxMs).unref();
    return new Promise((resolve) => {
      const ended = () => {
        clearTimeout(deadline);
        this.#active--;
        resolve();
      };
      if (transform) pipeline(readable, transform, res, ended);
      else pipeline(readable, res, ended);
    });
  }
}
