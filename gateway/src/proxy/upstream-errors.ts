import { HttpError, httpError, unavailable } from '@agent-fleet/shared/http/errors';
import type { Failure } from './replicas/replica.ts';

const TIMEOUTS = new Set(['UND_ERR_HEADERS_TIMEOUT', 'UND_ERR_BODY_TIMEOUT']);
const BROKEN_CONNECTIONS = new Set(['UND_ERR_SOCKET', 'ECONNRESET', 'EPIPE']);
const OWN_FAULTS = new Set(['UND_ERR_INVALID_ARG', 'UND_ERR_NOT_SUPPORTED']);

/** Aborts an undici request whose response is no longer needed; the client does not see it. */
export const ABANDONED = new Error('The response is no longer needed');
/** Aborts an undici request that moves to another replica, because this one hangs. */
export const MOVED = new Error('The request moves to another replica');
/** Aborts an undici request whose response has an invalid status. */
export const INVALID_STATUS = new Error('The status of the response is invalid');

/** The connection ended, as opposed to an invalid response. */
export function isBrokenConnection(error: Error): boolean {
  return BROKEN_CONNECTIONS.has(codeOf(error));
}

/** undici refuses to send this request, or the gateway has refused its body: not a failure of the service. */
export function isOwnFault(error: Error): boolean {
  return error instanceof HttpError || OWN_FAULTS.has(codeOf(error));
}

/** How an exchange without a response ended; `sent`: whether the request was sent. */
export function failureOf(error: Error, sent: boolean): Failure {
  if (error === ABANDONED || isOwnFault(error)) return 'abandoned';
  if (!sent) return 'unreachable';
  return error === MOVED || isTimeout(error) ? 'timeout' : 'broken';
}

/** The error for the client when no response comes; `sent`: whether the request was sent. */
export function toClientError(error: Error, service: string, sent: boolean): Error {
  if (isOwnFault(error)) return error;
  if (!sent) return unavailable(`The ${service} service cannot be reached; try again`, 1, error);
  if (isTimeout(error)) {
    return httpError('upstream_timeout', `The ${service} service did not respond in time`, { cause: error });
  }
  return httpError('upstream_error', `The ${service} service sent no valid response`, { cause: error });
}

function isTimeout(error: Error): boolean {
  return TIMEOUTS.has(codeOf(error));
}

function codeOf(error: Error): string {
  return (error as NodeJS.ErrnoException).code ?? '';
}
