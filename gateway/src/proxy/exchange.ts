import type { IncomingHttpHeaders } from 'node:http';
import { batchPerTick } from '@agent-fleet/shared/http/batch-per-tick';
import { overloaded, unavailable } from '@agent-fleet/shared/http/errors';
import { ROUTE_HEADER } from '@agent-fleet/shared/http/internal-access';
import type { Request, Response } from 'express';
import type { Dispatcher } from 'undici';
import { serviceRejectionOf } from '../observability/rejections.ts';
import { isWaiting } from '../routing/routes.ts';
import { type Attempt, beginAttempt, endAttempt } from '../tracing/span-start.ts';
import { ClientResponse } from './client-response.ts';
import type { Replica } from './replicas/replica.ts';
import { collectBody } from './request-body.ts';
import type { Upstream } from './upstream.ts';
import {
  ABANDONED,
  failureOf,
  INVALID_STATUS,
  isBrokenConnection,
  isOwnFault,
  MOVED,
  toClientError,
} from './upstream-errors.ts';
import { bodyKind, toDispatchOptions } from './upstream-request.ts';

declare global {
  namespace Express {
    interface Locals {
      /** Address of the replica that the request was last sent to. */
      replica?: string;
    }
  }
}

const MAX_RETRIES = 2;
/** The longest timer of Node, 24 days. */
const MAX_TIMER_MS = 2 ** 31 - 1;
/** RFC 9110 section 15: a status outside 100 to 599 is invalid. The parser refuses smaller numbers. */
const MAX_STATUS = 599;

/**
 * Forwards one request to a service and its response to the client. undici calls the `on…` methods; for each dispatch
 * it calls exactly one of `onResponseEnd` and `onResponseError`.
 */
export class Exchange implements Dispatcher.DispatchHandler {
  readonly #upstream: Upstream;
  readonly #req: Request;
  readonly #res: Response;
  readonly #onComplete: (error?: Error) => void;
  readonly #response: ClientResponse;
  #replica: Replica | undefined;
  /** Set when the request's span is exported. */
  #attempt: Attempt | undefined;
  #dispatched = false;
  /** Set once undici writes the request. */
  #controller: Dispatcher.DispatchController | undefined;
  #retries = 0;
  #isCompleted = false;
  /** The rest of the response is not needed: the client has disconnected, or the gateway has ended its response. */
  #abandoned = false;
  #responseStarted = false;
  /** The credential must be verified again. */
  #endsStream = false;
  /** The replica hangs: the dispatch is aborted and repeated at another replica. */
  #moves = false;

  /** `onComplete` is called once, with an error when the client still needs an error response. */
  constructor(upstream: Upstream, req: Request, res: Response, onComplete: (error?: Error) => void) {
    this.#upstream = upstream;
    this.#req = req;
    this.#res = res;
    this.#onComplete = onComplete;
    this.#response = new ClientResponse(upstream, res);
  }

  start(): void {
    const { retries, changes } = this.#upstream;
    // Until now, changes did not reach it.
    if (this.#res.locals.changesSeen !== changes.position) this.endUnverified();
    this.#res.on('close', () => this.#onClientClose());
    if (this.#res.destroyed) this.#onClientClose();
    else if (bodyKind(this.#req) === 'small') collectBody(this.#req, (body) => this.#dispatch(body));
    else this.#dispatch();
    retries.countRequest();
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller;
    if (this.#abandoned) controller.abort(ABANDONED);
    else if (this.#moves) controller.abort(MOVED);
  }

  onResponseStarted(): void {
    this.#responseStarted = true;
  }

  onResponseStart(controller: Dispatcher.DispatchController, status: number, headers: IncomingHttpHeaders): void {
    if (status < 200) return;
    if (status > MAX_STATUS) {
      controller.abort(INVALID_STATUS);
      return;
    }
    const { locals } = this.#res;
    locals.pathTemplate = headers[ROUTE_HEADER] as string | undefined;
    if (status >= 400) locals.serviceRejection = serviceRejectionOf(status, headers);
    this.#response.start(controller, status, headers);
    if (!locals.isEventStream) return;
    this.#endWithCredential();
    if (this.#res.headersSent && (this.#upstream.endsStreams || this.#endsStream)) this.endStream();
  }

  onResponseData(controller: Dispatcher.DispatchController, chunk: Buffer): void {
    this.#response.write(controller, chunk);
  }

  /** Trailers are not forwarded. */
  onResponseEnd(): void {
    const { status } = this.#response;
    this.#replica?.countResponse(status);
    if (this.#attempt) endAttempt(this.#attempt, { status });
    this.#release();
    if (this.#response.isHeld) {
      completeResponses.add(this);
    } else {
      this.#res.end();
      this.#finish();
    }
  }

  /** Sends a response that has arrived completely. */
  sendWholeResponse(): void {
    if (this.#isCompleted) return;
    try {
      this.#response.sendWhole();
      this.#finish();
    } catch (error) {
      this.#finish(toClientError(error as Error, this.#upstream.name, true));
    }
  }

  onResponseError(_controller: Dispatcher.DispatchController, error: Error): void {
    const sent = this.#controller !== undefined;
    const failure = failureOf(error, sent);
    this.#replica?.countFailure(failure);
    if (this.#attempt) {
      const { status } = this.#response;
      endAttempt(this.#attempt, { status, ...(failure !== 'abandoned' && { error: failure }) });
    }
    this.#release();
    if (this.#abandoned) {
      this.#finish();
    } else if (this.#res.headersSent) {
      this.#breakOff(error);
    } else if (this.#moves || (this.#isRepeatable() && this.#takeRetry(error, sent))) {
      this.#retries++;
      // undici still handles the broken connection.
      queueMicrotask(() => this.#dispatch());
    } else {
      this.#finish(toClientError(error, this.#upstream.name, sent));
    }
  }

  /** Ends an event stream or a wait of a principal that depends on a changed record: the client authenticates anew. */
  endFor(changed: string): void {
    const { caller, route } = this.#res.locals;
    if (!caller?.tags.includes(changed)) return;
    this.endUnverified();
    if (route && isWaiting(route, this.#req)) this.refuse('The credentials have changed; try again');
  }

  /**
   * Ends an event stream, also one that begins later, of a principal that depends on any record. A wait goes on: it
   * lasts for at most 30 s, as long as a gateway may trust a credential that it cannot verify.
   */
  endUnverified(): void {
    if (!this.#res.locals.caller?.tags.length) return;
    this.#endsStream = true;
    this.endStream();
  }

  /** Ends an event stream cleanly, as its service would: the client reconnects, to a gateway that keeps running. */
  endStream(): void {
    if (!this.#res.locals.isEventStream || this.#isCompleted) return;
    this.#res.end();
    this.#abandon();
  }

  /** Responds with 503 unless the service has started its response. */
  refuse(message = 'The gateway is stopping; try again'): void {
    if (this.#responseStarted || this.#isCompleted) return;
    this.#res.setHeader('connection', 'close');
    this.#finish(unavailable(message));
    this.#abandon();
  }

  /**
   * Moves the request from `replica`, which hangs, to another one; an event stream ends, and its client resumes it
   * there. Does not count against the retry budget: a replica that hangs does no work, so no work is multiplied.
   */
  moveFrom(replica: Replica): void {
    const { replicas, retries } = this.#upstream;
    if (this.#replica !== replica || !this.#dispatched || this.#moves || !replicas.hasRoomExcept(replica)) return;
    this.endStream();
    if (!this.#isRepeatable()) return;
    this.#moves = true;
    retries.retries++;
    this.#controller?.abort(MOVED);
  }

  #dispatch(collected?: Buffer): void {
    if (this.#abandoned) return;
    const { replicas, name } = this.#upstream;
    const replica = replicas.pick(this.#replica);
    if (!replica) {
      this.#finish(unavailable(`The ${name} service has no known address; try again`));
    } else if (replica.inFlight >= replica.maxInFlight) {
      this.#finish(overloaded(`The ${name} service has too many requests in flight; try again`, 'upstream'));
    } else {
      this.#replica = replica;
      this.#res.locals.replica = replica.address;
      const { span } = this.#res.locals;
      if (span) this.#attempt = beginAttempt(span, replica.address);
      this.#dispatched = true;
      this.#moves = false;
      replica.inFlight++;
      replica.connections.dispatch(toDispatchOptions(this.#upstream, this.#req, this.#res.locals, collected), this);
    }
  }

  /** Only safe methods, and only without a body: a streamed body cannot be sent twice. */
  #isRepeatable(): boolean {
    const { method } = this.#req;
    const isSafe = (method === 'GET' || method === 'HEAD') && bodyKind(this.#req) === 'none';
    return isSafe && !this.#responseStarted && !this.#abandoned && this.#retries < MAX_RETRIES;
  }

  /** Takes a retry from the budget if it can help after this error; `sent`: whether the request was sent. */
  #takeRetry(error: Error, sent: boolean): boolean {
    const { replicas, retries } = this.#upstream;
    const failed = this.#replica;
    // A refused connection will be refused again: only another replica can help.
    const helps = sent ? isBrokenConnection(error) : !isOwnFault(error) && replicas.pick(failed) !== failed;
    return helps && retries.take();
  }

  /** Destroys the connection instead of ending it cleanly: the client must see that the response is incomplete. */
  #breakOff(err: Error): void {
    this.#upstream.logger.warn(
      { err, request_id: this.#res.locals.requestId },
      'upstream closed the connection during its response',
    );
    this.#res.destroy();
    this.#finish();
  }

  #onClientClose(): void {
    if (this.#isCompleted) return;
    this.#abandon();
    if (!this.#dispatched) this.#finish();
  }

  #abandon(): void {
    this.#abandoned = true;
    this.#controller?.abort(ABANDONED);
  }

  /** Ends an event stream when the credential of its client expires: the client authenticates anew. */
  #endWithCredential(): void {
    const { expiresAtMs } = this.#res.locals.caller ?? {};
    if (expiresAtMs === undefined) return;
    const leftMs = Math.min(Math.max(expiresAtMs - Date.now(), 0), MAX_TIMER_MS);
    const timer = setTimeout(() => this.endStream(), leftMs).unref();
    this.#res.once('close', () => clearTimeout(timer));
  }

  #release(): void {
    this.#response.close();
    this.#dispatched = false;
    this.#controller = undefined;
  }

  #finish(error?: Error): void {
    if (this.#isCompleted) return;
    this.#isCompleted = true;
    this.#onComplete(error);
  }
}

const completeResponses = batchPerTick((exchanges: readonly Exchange[]) => {
  for (const exchange of exchanges) exchange.sendWholeResponse();
});
