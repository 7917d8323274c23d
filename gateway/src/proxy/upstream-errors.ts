import { HttpError, httpError, unavailable } from '@agent-fleet/shared/http/errors';
import type { Failure } from './replicas/traffic.ts';

const TIMEOUTS = new Set(['UND_ERR_HEADERS_TIMEOUT', 'UND_ERR_BODY_TIMEOUT']);
const BROKEN_CONNECTIONS = new Set(['UND_ERR_SOCKET', 'ECONNRESET', 'EPIPE']);
const OWN_FAULTS = new Set(['UND_ERR_INVALID_ARG', 'UND_ERR_NOT_SUPPORTED']);

/** Given to undici, which wants one, when nobody waits for the answer any more; the client is not told. */
export const ABANDONED = new Error('The answer is not waited for');
/** Likewise when another replica is asked, because this one hangs. */
export const MOVED = new Error('Another replica is asked');
/** Likewise when a service answers with a status that HTTP does not have. */
export const INVALID_STATUS = new Error('The status of the response is invalid');

/** The connection ended, rather than that something wrong came over it. */
export function isBrokenConnection(error: Error): boolean {
  return BROKEN_CONNECTIONS.has(codeOf(error));
}

/** undici will not send this request, or we have refused its body: no service is to blame. */
export function isOwnFault(error: Error): boolean {
  return error instanceof HttpError || OWN_FAULTS.has(codeOf(error));
}

/** How an exchange ended whose answer does not come; `sent` says whether the request went out. */
export function failureOf(error: Error, sent: boolean): Failure {
  if (error === ABANDONED || isOwnFault(error)) return 'abandoned';
  if (!sent) return 'unreachable';
  return error === MOVED || isTimeout(error) ? 'timeout' : 'broken';
}

/** What the client is told when a service's answer does not come; `sent` says whether the request went out. */
export function toAnswer(error: Error, service: string, sent: boolean): Error {
  if (isOwnFault(error)) return error;
  if (!sent) return unavailable(`The ${service} service cannot be reached; try again`, 1, error);
  if (isTimeout(error)) {
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

function isTimeout(error: Error): boolean {
  return TIMEOUTS.has(codeOf(error));
}

function codeOf(error: Error): string {
  return (error as NodeJS.ErrnoException).code ?? '';
}
