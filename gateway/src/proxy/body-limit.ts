import { type HttpError, httpError } from '@agent-fleet/shared/http/errors';
import type { RequestHandler } from 'express';

/**
 * Refuses a request with a `Content-Length` above the limit before anything is forwarded; a body of unknown length is
 * counted while it is forwarded. @throws 413 `payload_too_large`
 */
export function limitBody(maxBytes: number): RequestHandler {
  return (req, res, next) => {
    const length = req.headers['content-length'];
    if (length !== undefined && Number(length) > maxBytes) throw tooLarge(maxBytes);
    if (req.headers['transfer-encoding'] !== undefined) res.locals.maxBodyBytes = maxBytes;
    next();
  };
}

export function tooLarge(maxBytes: number): HttpError {
  return httpError('payload_too_large', `The body is larger than ${maxBytes} bytes`);
}
