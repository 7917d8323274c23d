import express, { type ErrorRequestHandler, type Express, type NextFunction, type RequestHandler } from 'express';
import type { Logger } from '../logger.ts';
import { type RedisErrorCause, redisErrorCause } from '../redis/errors.ts';
import { readTraceparent, traceIdOf } from '../trace-context.ts';
import { ClientGone, HttpError, httpError, notFound, unavailable, ValueError } from './errors.ts';
import { REQUEST_ID_HEADER, requestIdFrom } from './request-id.ts';

/**
 * Creates an Express application without Express's own ETags, `X-Powered-By` header and lenient routes. `handlers` run
 * before anything that is added later. Each response gets `X-Request-Id`, except those that one of `handlers` sends: it
 * must set the header itself.
 */
export function createHttpApp(...handlers: RequestHandler[]): Express {
  const app = express();
  app.disable('x-powered-by');
  app.disable('etag');
  app.enable('case sensitive routing');
  app.enable('strict routing');
  app.set('query parser', 'simple');
  app.use(inOrder(identifyRequest, ...handlers, setRequestIdHeader));
  return app;
}

const identifyRequest: RequestHandler = (req, res, next) => {
  const requestId = requestIdFrom(req.headers[REQUEST_ID_HEADER]);
  req.headers[REQUEST_ID_HEADER] = requestId;
  res.locals.requestId = requestId;
  next();
};

const setRequestIdHeader: RequestHandler = (_req, res, next) => {
  res.setHeader(REQUEST_ID_HEADER, res.locals.requestId);
  next();
};

/**
 * Combines several handlers into one. Express needs a tenth of a proxied request's processor time for every ten
 * handlers (measured). After an error (thrown, rejected or passed to `next`) the remaining handlers are skipped.
 */
export function inOrder(...handlers: RequestHandler[]): RequestHandler {
  return (req, res, next) => {
    let at = 0;
    const step: NextFunction = (error?: unknown) => {
      const handler = error === undefined ? handlers[at++] : undefined;
      if (!handler) return next(error);
      const done = handler(req, res, step);
      if (done instanceof Promise) done.catch(next);
    };
    step();
  };
}

/** Adds the last two handlers: 404 for unknown paths, and the only place that turns an error into a response. */
export function finishApp(app: Express, logger: Logger): Express {
  app.use(() => {
    throw notFound();
  });
  app.use(answerError(logger));
  return app;
}

function answerError(logger: Logger): ErrorRequestHandler {
  return (error: unknown, req, res, next) => {
    if (error instanceof ClientGone) {
      res.destroy();
      return;
    }
    const answer = toHttpError(error);
    // The parser may have refused the rest of the request before.
    res.locals.error ??= answer;
    if (answer.status >= 500) {
      const level = answer.status === 500 ? 'error' : 'warn';
      const { requestId: request_id, pathTemplate: route } = res.locals;
      // Not the path itself: a parameter may be a secret.
      const traceparent = readTraceparent(String(req.headers.traceparent));
      const trace_id = traceparent && traceIdOf(traceparent);
      const fields = { request_id, trace_id, method: req.method, route, rejected_by: answer.rejectedBy };
      logger[level]({ err: error, ...fields }, 'request failed');
    }
    if (res.headersSent) {
      next(error);
      return;
    }
    res.setHeader(REQUEST_ID_HEADER, res.locals.requestId);
    for (const name in answer.headers) res.setHeader(name, answer.headers[name] as string);
    res.status(answer.status).json(answer.body);
  };
}

const AWAY = 'The data store is unavailable; try again';
const TOO_FEW_COPIES = new Set<RedisErrorCause>(['not_replicated', 'no_replicas']);
const UNKNOWN_OUTCOME =
  'Too few replicas of the data store have the change, so that its outcome is unknown. Try again; with an ' +
  'Idempotency-Key, a creation is safe to repeat';

/** Converts any thrown value to the error for the client, which reveals nothing about the cause of a 500. */
export function toHttpError(error: unknown): HttpError {
  if (error instanceof HttpError) return error;
  if (error instanceof ValueError) return httpError('validation_error', error.message, { cause: error });
  const cause = redisErrorCause(error);
  if (cause) return unavailable(TOO_FEW_COPIES.has(cause) ? UNKNOWN_OUTCOME : AWAY, 1, error);
  return httpError('internal_error', 'An unexpected error occurred', { cause: error });
}
