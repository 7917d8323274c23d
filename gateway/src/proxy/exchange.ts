import type { IncomingHttpHeaders } from 'node:http';
import { batchPerTick } from '@agent-fleet/shared/http/batch-per-tick';
import { unavailable } from '@agent-fleet/shared/http/errors';
import type { Request, Response } from 'express';
import type { Dispatcher } from 'undici';
import { acceptsEventStream, isEventStream } from './event-stream.ts';
import { toClientHeaders } from './header-hygiene.ts';
import type { Replica } from './replicas/replica.ts';
import { bodyKind, collectBody } from './request-body.ts';
import { AnswerBody, sendWhole } from './response-body.ts';
import { isRepeatable, MAX_RETRIES, takeRetry } from './retries.ts';
import { deadlineOf, toDispatchOptions, type Upstream } from './upstream.ts';
import { ABANDONED, failureOf, INVALID_STATUS, MOVED, overloaded, toAnswer } from './upstream-errors.ts';

/** RFC 9110 section 15: a status outside 100 to 599 is invalid. The parser refuses what is below. */
const MAX_STATUS = 599;

/**
 * One request on its way to a service and the answer on its way back. undici calls the `on…` methods; for each dispatch it calls
 * exactly one of `onResponseEnd` and `onResponseError`.
 */
export class Exchange implements Dispatcher.DispatchHandler {
  readonly #upstream: Upstream;
  readonly #req: Request;
  readonly #res: Response;
  readonly #settle: (error?: Error) => void;
  #replica: Replica | undefined;
  #dispatched = false;
  /** There is one from when the request is written. */
  #controller: Dispatcher.DispatchController | undefined;
  #retries = 0;
  #settled = false;
  /** Nobody waits for what still comes: the client has gone, or has been given an end. */
  #abandoned = false;
  #answerBegun = false;
  /** Its replica hangs: the dispatch is to end, for one to another replica. */
  #moves = false;
  /** Of an answer of known length, held back until a part of its body is there: both then go out in one write. */
  #head: IncomingHttpHeaders | undefined;
  /** The body, when it came in one piece. */
  #whole: Buffer | undefined;
  /** Of a body that comes in several parts, or has deadlines of its own. */
  #body: AnswerBody | undefined;
  #status = 0;

  /** `settle` is called once, with an error when nothing was sent to the client and something must be. */
  constructor(upstream: Upstream, req: Request, res: Response, settle: (error?: Error) => void) {
    this.#upstream = upstream;
    this.#req = req;
    this.#res = res;
    this.#settle = settle;
  }

  start(): void {
    this.#upstream.retries.countRequest();
    this.#res.on('close', () => this.#onClientClose());
    if (this.#res.destroyed) this.#onClientClose();
    else if (bodyKind(this.#req) === 'small') collectBody(this.#req, (body) => this.#dispatch(body));
    else this.#dispatch();
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller;
    if (this.#abandoned) controller.abort(ABANDONED);
    else if (this.#moves) controller.abort(MOVED);
  }

  onResponseStarted(): void {
    this.#answerBegun = true;
  }

  onResponseStart(controller: Dispatcher.DispatchController, status: number, headers: IncomingHttpHeaders): void {
    if (status < 200) return;
    if (status > MAX_STATUS) {
      controller.abort(INVALID_STATUS);
      return;
    }
    this.#status = status;
    this.#head = headers;
    const isBodyless = status === 204 || status === 304 || this.#req.method === 'HEAD';
    if (isBodyless) return;
    this.#watchBody(controller, headers);
    if (headers['content-length'] !== undefined) return;
    this.#writeHead(headers);
    // Node's `flushHeaders` would send them in UTF-8.
    this.#res.write('', 'latin1');
    if (this.#upstream.endsStreams) this.endStream();
  }

  onResponseData(controller: Dispatcher.DispatchController, chunk: Buffer): void {
    const head = this.#head;
    if (head) {
      if (chunk.length === Number(head['content-length'])) {
        this.#whole = chunk;
        return;
      }
      this.#writeHead(head);
    }
    this.#body ??= new AnswerBody(this.#res, controller, this.#upstream);
    this.#body.write(chunk);
  }

  /** Trailers are not passed on. */
  onResponseEnd(): void {
    this.#replica?.traffic.answered(this.#status);
    this.#release();
    if (this.#head) {
      answers.add(this);
    } else {
      this.#res.end();
      this.#finish();
    }
  }

  /** Sends an answer that is there as a whole. */
  answer(): void {
    if (this.#settled) return;
    try {
      this.#writeHead(this.#head as IncomingHttpHeaders);
      sendWhole(this.#res, this.#whole);
      this.#finish();
    } catch (error) {
      this.#finish(toAnswer(error as Error, this.#upstream.name, true));
    }
  }

  onResponseError(_controller: Dispatcher.DispatchController, error: Error): void {
    const sent = this.#controller !== undefined;
    this.#replica?.traffic.failed(failureOf(error, sent));
    this.#release();
    if (this.#abandoned) {
      this.#finish();
    } else if (this.#res.headersSent) {
      this.#breakOff(error);
    } else if (this.#moves || this.#mayRetry(error, sent)) {
      this.#retries++;
      // undici is still busy with the connection that broke.
      queueMicrotask(() => this.#dispatch());
    } else {
      this.#finish(toAnswer(error, this.#upstream.name, sent));
    }
  }

  /** Ends an event stream as its service would: its client connects again, to a gateway that stays. */
  endStream(): void {
    if (!this.#res.locals.isEventStream || this.#settled) return;
    this.#res.end();
    this.#abandon();
  }

  /** Answers 503 when the service has not begun to answer. */
  refuse(): void {
    if (this.#answerBegun || this.#settled) return;
    this.#finish(unavailable('The gateway is stopping; try again'));
    this.#abandon();
  }

  /**
   * Goes to another replica when its own, the given one, hangs; an event stream ends, and its client resumes it there. Free of the budget:
   * a replica that hangs does none of its work, so that no work is multiplied.
   */
  moveFrom(replica: Replica): void {
    const { replicas, retries } = this.#upstream;
    if (this.#replica !== replica || !this.#dispatched || this.#moves || !replicas.haveRoomBeside(replica)) return;
    this.endStream();
    if (!this.#isRepeatable()) return;
    this.#moves = true;
    retries.countRetry();
    this.#controller?.abort(MOVED);
  }

  #dispatch(collected?: Buffer): void {
    if (this.#abandoned) return;
    const { replicas, name } = this.#upstream;
    const replica = replicas.pick(this.#replica);
    if (!replica) {
      this.#finish(unavailable(`The ${name} service has no known address; try again`));
    } else if (replica.full) {
      this.#finish(overloaded(name));
    } else {
      this.#replica = replica;
      this.#res.locals.replica = replica.address;
      this.#dispatched = true;
      this.#moves = false;
      replica.traffic.begin();
      replica.connections.dispatch(toDispatchOptions(this.#upstream, this.#req, this.#res.locals, collected), this);
    }
  }

  #mayRetry(error: Error, sent: boolean): boolean {
    return this.#isRepeatable() && takeRetry(this.#upstream, this.#replica, error, sent);
  }

  #isRepeatable(): boolean {
    return !this.#answerBegun && !this.#abandoned && this.#retries < MAX_RETRIES && isRepeatable(this.#req);
  }

  #writeHead(headers: IncomingHttpHeaders): void {
    this.#head = undefined;
    // One list is much cheaper for Node than a header at a time, and only while none has been set (measured: 6 % of a request).
    this.#res.writeHead(this.#status, toClientHeaders(this.#status, headers, this.#res));
  }

  /** Never a clean end: the client must see that the answer is not whole. */
  #breakOff(err: Error): void {
    this.#upstream.logger.warn({ err, request_id: this.#res.locals.requestId }, 'upstream broke off within its answer');
    this.#res.destroy();
    this.#finish();
  }

  #onClientClose(): void {
    if (this.#settled) return;
    this.#abandon();
    if (!this.#dispatched) this.#finish();
  }

  #abandon(): void {
    this.#abandoned = true;
    this.#controller?.abort(ABANDONED);
  }

  /** undici watches no body whose client accepts an event stream, and so what turns out to be none is watched here. */
  #watchBody(controller: Dispatcher.DispatchController, answer: IncomingHttpHeaders): void {
    const { stalledMs } = this.#upstream;
    if (isEventStream(answer)) {
      this.#res.locals.isEventStream = true;
    } else if (acceptsEventStream(this.#req.headers)) {
      const silentMs = deadlineOf(this.#upstream, this.#req, this.#res.locals);
      this.#body = new AnswerBody(this.#res, controller, { silentMs, stalledMs });
    }
  }

  #release(): void {
    this.#body?.close();
    this.#dispatched = false;
    this.#controller = undefined;
  }

  #finish(error?: Error): void {
    if (this.#settled) return;
    this.#settled = true;
    this.#settle(error);
  }
}

const answers = batchPerTick((exchanges: readonly Exchange[]) => {
  for (const exchange of exchanges) exchange.answer();
});
