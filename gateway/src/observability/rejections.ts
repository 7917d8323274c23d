import type { HttpError } from '@agent-fleet/shared/http/errors';
import type { RequestHandler } from 'express';

/** The stages of a request that can reject it, as the access log names them. */
export type Stage =
  | 'overload'
  | 'path'
  | 'authentication'
  | 'method'
  | 'scope'
  | 'rate_limit'
  | 'body_limit'
  | 'upstream'
  | 'operation'
  | 'parser';

/** The meaning of errors that have a `detail` text instead of a code. */
const DETAIL_CODES: Record<number, string> = { 401: 'unauthenticated', 403: 'invalid_api_key', 404: 'not_found' };

/** A handler whose errors count as rejections by `stage`. */
export function atStage(stage: Stage, handler: RequestHandler): RequestHandler {
  return (req, res, next) => {
    res.locals.stage = stage;
    return handler(req, res, next);
  };
}

/** Why the gateway itself responded with an error, for the access log; undefined when it did not. */
export function rejectionOf({ error, stage = 'parser' }: Express.Locals) {
  if (!error) return undefined;
  // A body of unknown length exceeds its limit only while it is forwarded.
  return { error: codeOf(error), rejectedBy: stage === 'upstream' && error.status === 413 ? 'body_limit' : stage };
}

/** The error code; for an error with a `detail` text, its meaning. */
function codeOf({ body, status }: HttpError): string {
  return typeof body.error === 'string' ? body.error : (DETAIL_CODES[status] ?? String(status));
}
