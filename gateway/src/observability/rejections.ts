import type { IncomingHttpHeaders } from 'node:http';
import { codeOf, type HttpError } from '@agent-fleet/shared/http/errors';
import { ERROR_HEADER, REJECTED_BY_HEADER } from '@agent-fleet/shared/http/internal-access';

declare global {
  namespace Express {
    interface Locals {
      /** Why a service refused the request, or the gateway is not ready. */
      serviceRejection?: Rejection | undefined;
    }
  }
}

/** Why a request got an error response: the code, and the stage of the gateway or the cause in a service. */
export interface Rejection {
  error: string;
  rejectedBy: string;
}

/** The stage of the gateway that refuses with a code, unless the error names another one. */
const STAGES: Record<string, string> = {
  validation_error: 'path',
  uri_too_long: 'path',
  headers_too_large: 'path',
  unauthenticated: 'authentication',
  invalid_api_key: 'authentication',
  forbidden: 'authentication',
  rate_limited: 'rate_limit',
  overloaded: 'overload',
  payload_too_large: 'body_limit',
  upstream_error: 'upstream',
  upstream_timeout: 'upstream',
  unavailable: 'upstream',
};

/** A service's header has one of a few values; another program may answer in its place. */
const NAME = /^[a-z_]{1,40}$/;
const CODES_BY_STATUS: Record<number, string> = {
  429: 'rate_limited',
  500: 'internal_error',
  502: 'upstream_error',
  503: 'unavailable',
  504: 'upstream_timeout',
};

/** Why a request was refused, for the access log and metrics. */
export function rejectionOf({
  error,
  serviceRejection,
}: Pick<Express.Locals, 'error' | 'serviceRejection'>): Rejection | undefined {
  return error ? toRejection(error) : serviceRejection;
}

function toRejection(error: HttpError): Rejection {
  const code = codeOf(error);
  return { error: code, rejectedBy: error.rejectedBy ?? STAGES[code] ?? 'operation' };
}

/**
 * Why a service refuses a request, as it reports in headers that clients do not get: always for 429 and 5xx, else if it
 * names what refused it.
 */
export function serviceRejectionOf(status: number, headers: IncomingHttpHeaders): Rejection | undefined {
  const rejectedBy = nameIn(headers[REJECTED_BY_HEADER]);
  if (rejectedBy === undefined && status < 500 && status !== 429) return undefined;
  return {
    error: nameIn(headers[ERROR_HEADER]) ?? CODES_BY_STATUS[status] ?? String(status),
    rejectedBy: rejectedBy ?? 'service',
  };
}

function nameIn(header: string | string[] | undefined): string | undefined {
  return typeof header === 'string' && NAME.test(header) ? header : undefined;
}
