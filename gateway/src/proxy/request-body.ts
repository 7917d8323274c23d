import type { IncomingMessage } from 'node:http';
import { Readable } from 'node:stream';
import { hasBody, SMALL_BODY_BYTES } from '@agent-fleet/shared/http/serve';
import { tooLarge } from './body-limit.ts';

/**
 * A request's body for undici, which destroys the stream it is given when an upstream fails or answers early: this one then lets
 * the request be, and reads the rest of it to nowhere, so that the client can still get an answer on its connection. One that grows
 * over `maxBytes` breaks off: the service never has the whole of it.
 */
export class RequestBody extends Readable {
  readonly #req: IncomingMessage;
  readonly #maxBytes: number;
  #left: number;
  readonly #onData = (chunk: Buffer): void => {
    this.#left -= chunk.length;
    if (this.#left < 0) this.destroy(tooLarge(this.#maxBytes));
    else if (!this.push(chunk)) this.#req.pause();
  };
  readonly #onEnd = (): void => {
    this.push(null);
  };

  constructor(req: IncomingMessage, maxBytes = Number.POSITIVE_INFINITY) {
    super();
    this.#req = req;
    this.#maxBytes = maxBytes;
    this.#left = maxBytes;
    // Without a listener an error would end the process once undici has let go of the body.
    this.on('error', () => {});
    req.on('data', this.#onData).on('end', this.#onEnd);
  }

  override _read(): void {
    this.#req.resume();
  }

  /** undici's own error is swallowed here: whoever dispatched the body hears of it from undici, which in turn has to hear of ours. */
  override _destroy(error: Error | null, callback: (error?: Error | null) => void): void {
    this.#req.off('data', this.#onData).off('end', this.#onEnd).resume();
    callback(this.#left < 0 ? error : null);
  }
}

type BodyKind = 'none' | 'small' | 'stream';

/** Whether a request has a body, and whether it is waited for: a slow client then does not hold a connection to the service. */
export function bodyKind({ headers }: IncomingMessage): BodyKind {
  if (!hasBody(headers)) return 'none';
  const isChunked = headers['transfer-encoding'] !== undefined;
  return !isChunked && Number(headers['content-length']) <= SMALL_BODY_BYTES ? 'small' : 'stream';
}

/** Calls back with the whole body, at once when it has arrived; never, when the client goes away before. */
export function collectBody(req: IncomingMessage, onBody: (body: Buffer) => void): void {
  if (req.complete) {
    onBody(req.read() ?? Buffer.alloc(0));
    return;
  }
  const chunks: Buffer[] = [];
  req.on('data', (chunk: Buffer) => chunks.push(chunk));
  req.on('end', () => onBody(chunks.length === 1 ? (chunks[0] as Buffer) : Buffer.concat(chunks)));
}
