import type { ErrorRequestHandler, RequestHandler } from 'express';

/** A browser must not guess that an answer is a page or a script; a proxied one gets it with its other headers. */
export const NO_SNIFFING = { 'x-content-type-options': 'nosniff' };

export const forbidSniffing: RequestHandler = (_req, res, next) => {
  res.set(NO_SNIFFING);
  next();
};

export const forbidSniffingErrors: ErrorRequestHandler = (error, _req, res, next) => {
  if (!res.headersSent) res.set(NO_SNIFFING);
  next(error);
};
