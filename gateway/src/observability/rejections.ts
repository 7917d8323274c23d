import type { IncomingHttpHeaders } from 'node:http';
import { codeOf } from '@agent-fleet/shared/http/errors';
import { ERROR_HEADER, REJECTED_BY_HEADER } from '@agent-fleet/shared/http/internal-access';
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

/** Why a request got an error response: the code, and the stage of the gateway or the cause in a service. */
export interface Rejection {
  error: string;
  rejectedBy: string;
}

/** A service's header has one of a few values; another program may answer in its place. */
const NAME = /^[a-z_]{1,40}$/;
const CODES_BY_STATUS: Record<number, string> = {
  429: 'rate_limited',
  500: 'internal_error',
  502: 'upstream_error',
  503: 'unavailable',
  504: 'upstream_timeout',
};

/** A handler whose errors count as rejections by `stage`. */
export function atStage(stage: Stage, handler: RequestHandler): RequestHandler {
  return (req, res, next) => {
    // The parser may refuse the rest of a request while it is authenticated.
    if (res.locals.stage !== 'parser') res.locals.stage = stage;
    return handler(req, res, next);
  };
}

/** Why a request was refused, for the access log and metrics; of what services answer, only 429 and 5xx. */
export function rejectionOf({ error, stage = 'parser', serviceRejection }: Express.Locals): Rejection | undefined {
  if (!error) return serviceRejection;
  // A body of unknown length exceeds its limit only while it is forwarded.
  const rejectedBy = stage === 'upstream' && error.status === 413 ? 'body_limit' : stage;
  return { error: codeOf(error), rejectedBy: error.rejectedBy ?? rejectedBy };
}

/** Why a service refuses a request, as it reports in headers that clients do not get; undefined below 429. */
export function serviceRejectionOf(status: number, headers: IncomingHttpHeaders): Rejection | undefined {
  if (status < 500 && status !== 429) return undefined;
  return {
    error: nameIn(headers[ERROR_HEADER]) ?? CODES_BY_STATUS[status] ?? String(status),
    rejectedBy: nameIn(headers[REJECTED_BY_HEADER]) ?? 'service',
  };
}

function nameIn(header: string | string[] | undefined): string | undefined {
  return typeof header === 'string' && NAME.test(header) ? header : undefined;
}
