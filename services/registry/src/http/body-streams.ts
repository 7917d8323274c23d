import type { IncomingMessage, ServerResponse } from 'node:http';
import { pipeline, Readable, type Transform } from 'node:stream';
import { httpError } from '@agent-fleet/shared/http/errors';

const MAX_STREAMS = 24;
const STALL_MS = 20_000;
const MAX_MS = 10 * 60_000;
const RETRY_SECONDS = 2;

export interface StreamLimits {
  /** How many there may be at once. */
  max: number;
  /** A client that takes nothing for so long is cut off. */
  stallMs: number;
  /** So is one that is not through after this, as what it reads is kept in memory. */
  maxMs: number;
}

/** Sends bodies that may be too large to be made in memory, as fast as their clients take them. */
export class BodyStreams {
  readonly #limits: StreamLimits;
  #active = 0;

  constructor(limits: Partial<StreamLimits> = {}) {
    this.#limits = { max: MAX_STREAMS, stallMs: STALL_MS, maxMs: MAX_MS, ...limits };
  }

  get active(): number {
    return this.#active;
  }

  /** For a request that will not be answered by a 304. @throws 503 `overloaded` when there are too many already */
  requireRoom(): void {
    if (this.#active < this.#limits.max) return;
    throw httpError('overloaded', 'Too many large responses are being sent; try again', {
      headers: { 'retry-after': String(RETRY_SECONDS) },
    });
  }

  /**
   * Answers 200 with `source`, through `transform` if there is one. Resolves once the answer has ended in any way; one that fails
   * midway has its connection closed, so that nobody takes half a body for a whole one.
   */
  send(
    req: IncomingMessage,
    res: ServerResponse,
    source: Readable | AsyncIterable<Buffer>,
    transform?: Transform,
  ): Promise<void> {
    this.requireRoom();
    res.writeHead(200);
    if (req.method === 'HEAD') {
      res.end();
      return Promise.resolve();
    }
    this.#active++;
    const readable = source instanceof Readable ? source : Readable.from(source, { objectMode: false });
    // Counts from the last byte that the client took; the next request on this connection has the server's own time again.
    req.socket.setTimeout(this.#limits.stallMs);
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
