import { httpError } from '@agent-fleet/shared/errors';
import type { RequestHandler } from 'express';

/** Lets no request pass while more than `max` are in flight, itself among them. @throws 503 `overloaded` */
export function limitInFlight(inFlight: () => number, max: number): RequestHandler {
  return (_req, _res, next) => {
    if (inFlight() > max) {
      throw httpError('overloaded', 'Too many requests at once; try again', { headers: { 'retry-after': '1' } });
    }
    next();
  };
}
