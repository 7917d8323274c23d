import type { IncomingMessage } from 'node:http';
import { Readable } from 'node:stream';
import { tooLarge } from '@agent-fleet/shared/http/errors';

/**
 * A request's body for undici, which destroys the body when an upstream fails or responds early. Destroying this stream
 * leaves the request intact and discards the rest of it, so that the client can still get a response on its connection.
 * A body larger than `maxBytes` is aborted: the service never gets it completely.
 */
export class RequestBody extends Readable {
  readonly #req: IncomingMessage;
  readonly #maxBytes: number;
  readonly #isChunked: boolean;
  #left: number;
  readonly #onData = (chunk: Buffer): void => {
    this.#left -= chunk.length;
    if (this.#left < 0) this.destroy(tooLarge(this.#maxBytes));
    else if (!this.push(chunk) || this.#isChunked) this.#req.pause();
  };
  readonly #onEnd = (): void => {
    this.push(null);
  };

  /** Reads all that has arrived as one part, which goes to `#onData`. */
  readonly #readOn = (): void => {
    if (readAll(this.#req) === null) this.#req.resume();
  };

  constructor(req: IncomingMessage, maxBytes = Number.POSITIVE_INFINITY) {
    super();
    this.#req = req;
    this.#maxBytes = maxBytes;
    this.#left = maxBytes;
    this.#isChunked = req.headers['transfer-encoding'] !== undefined;
    // Without a listener, an error after undici has released the body would end the process.
    this.on('error', () => {});
    req.on('data', this.#onData).on('end', this.#onEnd);
  }

  override _read(): void {
    // The chunks of one turn of the event loop are joined: each part that is sent costs as much as a long one.
    if (this.#isChunked) setImmediate(this.#readOn);
    else this.#req.resume();
  }

  /** Drops undici's own error, which undici reports to its handler; passes on ours, which undici must see. */
  override _destroy(error: Error | null, callback: (error?: Error | null) => void): void {
    this.#req.off('data', this.#onData).off('end', this.#onEnd).resume();
    callback(this.#left < 0 ? error : null);
  }
}

/** Calls back with the whole body, at once when it has arrived; never when the client disconnects first. */
export function collectBody(req: IncomingMessage, onBody: (body: Buffer) => void): void {
  if (req.complete) {
    onBody(readAll(req) ?? Buffer.alloc(0));
    return;
  }
  const chunks: Buffer[] = [];
  req.on('data', (chunk: Buffer) => chunks.push(chunk));
  req.on('end', () => onBody(chunks.length === 1 ? (chunks[0] as Buffer) : Buffer.concat(chunks)));
}

/** What has arrived, as one part: without a size Node reads only the first of several. */
function readAll(req: IncomingMessage): Buffer | null {
  return req.read(req.readableLength);
}
