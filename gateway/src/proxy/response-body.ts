import type { Response } from 'express';
import { type Dispatcher, errors } from 'undici';

/**
 * Bytes buffered for a client. Node requests a pause after each part, although the kernel has taken it before the next
 * one: pausing after each takes a third of the processor time of a response of 100 KB.
 */
const MAX_HELD_BYTES = 128 * 1024;

export interface BodyDeadlines {
  /** Maximum time between parts from the service. Default: undici's. */
  silentMs?: number;
  /** How long the client may read nothing while data waits for it: it holds a connection to the service. */
  stalledMs: number;
}

/** Forwards a response body in parts, with backpressure; a client that stalls is disconnected. */
export class ResponseBody {
  readonly #res: Response;
  readonly #controller: Dispatcher.DispatchController;
  readonly #stalledMs: number;
  #silence: NodeJS.Timeout | undefined;
  #stall: NodeJS.Timeout | undefined;

  constructor(res: Response, controller: Dispatcher.DispatchController, { silentMs, stalledMs }: BodyDeadlines) {
    this.#res = res;
    this.#controller = controller;
    this.#stalledMs = stalledMs;
    if (silentMs !== undefined) this.#silence = setTimeout(() => this.#endSilence(), silentMs).unref();
  }

  write(chunk: Buffer): void {
    this.#silence?.refresh();
    // After the service has closed the connection, undici delivers what it has buffered even while paused.
    if (this.#res.write(chunk) || this.#res.writableLength < MAX_HELD_BYTES || this.#controller.paused) return;
    this.#controller.pause();
    this.#stall = setTimeout(() => this.#res.destroy(), this.#stalledMs).unref();
    this.#res.once('drain', () => {
      clearTimeout(this.#stall);
      this.#silence?.refresh();
      this.#controller.resume();
    });
  }

  /** Call it when the response from the service has ended. */
  close(): void {
    clearTimeout(this.#silence);
    clearTimeout(this.#stall);
  }

  #endSilence(): void {
    // While the client does not read, the service cannot send.
    if (this.#controller.paused) this.#silence?.refresh();
    else this.#controller.abort(new errors.BodyTimeoutError());
  }
}
