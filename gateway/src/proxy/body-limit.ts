import { type HttpError, httpError } from '@agent-fleet/shared/http/errors';
import type { RequestHandler } from 'express';

declare global {
  namespace Express {
    interface Locals {
      /** Of a request whose length is not known before its end. */
      maxBodyBytes?: number;
    }
  }
}

/**
 * Refuses a request that says itself that its body is too large before anything of it goes to a service; one that does not say is
 * counted as it goes. @throws 413 `payload_too_large`
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
