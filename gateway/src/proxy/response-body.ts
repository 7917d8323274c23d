import type { Response } from 'express';
import { type Dispatcher, errors } from 'undici';

/**
 * What may wait for a client. Node asks for a pause after each part, although the kernel has taken it by the next one: pausing for
 * each costs an answer of 100 KB a third of its processor time.
 */
const MAX_HELD_BYTES = 128 * 1024;

/**
 * As text a body joins the head in one piece, one byte a character: a buffer beside it costs a small answer a twelfth more. Making text of
 * a page of 36 KB is half of what that page costs (measured).
 */
const MAX_JOINED_BYTES = 8 * 1024;

export interface BodyDeadlines {
  /** Between parts that the service sends. Default: none but undici's. */
  silentMs?: number;
  /** How long the client may take nothing while there is something for it: it would hold a connection to the service for ever. */
  stalledMs: number;
}

/** Passes the body of an answer on, part by part, no faster than the client takes it; one that stalls is cut off. */
export class AnswerBody {
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
    // Once the service has closed the connection undici hands over what it holds, told to pause or not.
    if (this.#res.write(chunk) || this.#res.writableLength < MAX_HELD_BYTES || this.#controller.paused) return;
    this.#controller.pause();
    this.#stall = setTimeout(() => this.#res.destroy(), this.#stalledMs).unref();
    this.#res.once('drain', () => {
      clearTimeout(this.#stall);
      this.#silence?.refresh();
      this.#controller.resume();
    });
  }

  /** To be called when nothing more comes from the service. */
  close(): void {
    clearTimeout(this.#silence);
    clearTimeout(this.#stall);
  }

  #endSilence(): void {
    // What its client does not take, a service cannot send.
    if (this.#controller.paused) this.#silence?.refresh();
    else this.#controller.abort(new errors.BodyTimeoutError());
  }
}

/** Ends an answer whose body, if it has one, is there as a whole: it goes out in one write with the head. */
export function sendWhole(res: Response, body: Buffer | undefined): void {
  if (!body) res.end();
  else if (body.length <= MAX_JOINED_BYTES) res.end(body.toString('latin1'), 'latin1');
  else res.end(body);
}
