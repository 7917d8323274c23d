import { type HttpError, httpError, unavailable } from '@agent-fleet/shared/errors';

const TIMEOUTS = new Set(['UND_ERR_HEADERS_TIMEOUT', 'UND_ERR_BODY_TIMEOUT']);
const BROKEN_CONNECTIONS = new Set(['UND_ERR_SOCKET', 'ECONNRESET', 'EPIPE']);
const OWN_FAULTS = new Set(['UND_ERR_INVALID_ARG', 'UND_ERR_NOT_SUPPORTED']);

/** The connection ended, rather than that something wrong came over it. */
export function isBrokenConnection(error: Error): boolean {
  return BROKEN_CONNECTIONS.has(codeOf(error));
}

/** undici will not send this request. */
export function isOwnFault(error: Error): boolean {
  return OWN_FAULTS.has(codeOf(error));
}

/** What the client is told when a service's answer does not come; `sent` says whether the request went out. */
export function toAnswer(error: Error, service: string, sent: boolean): Error {
  if (isOwnFault(error)) return error;
  if (!sent) return unavailable(`The ${service} service cannot be reached; try again`, 1, error);
  if (TIMEOUTS.has(codeOf(error))) {
    return httpError('upstream_timeout', `The ${service} service did not answer in time`, { cause: error });
  }
  return httpError('upstream_error', `The ${service} service broke off`, { cause: error });
}

/** 503 `overloaded`: every replica has as many requests in flight as it may. */
export function overloaded(service: string): HttpError {
  return httpError('overloaded', `The ${service} service has too many requests in flight; try again`, {
    headers: { 'retry-after': '1' },
  });
}

function codeOf(error: Error): string {
  return (error as NodeJS.ErrnoException).code ?? '';
}
