import { overloaded } from '@agent-fleet/shared/http/errors';
import type { RequestHandler } from 'express';

/** Limits the requests in flight behind it to `max`. @throws 503 `overloaded` */
export function limitInFlight(max: number): RequestHandler {
  let inFlight = 0;
  const leave = () => {
    inFlight--;
  };
  return (_req, res, next) => {
    if (inFlight >= max) throw overloaded('Too many requests in flight; try again');
    inFlight++;
    res.on('close', leave);
    next();
  };
}
