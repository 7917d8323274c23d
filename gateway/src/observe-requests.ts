import type { Request, RequestHandler, Response } from 'express';

/** Told of a request once its answer has ended or its client has gone. */
export type RequestObserver = (req: Request, res: Response, durationMs: number) => void;

/** One clock and one listener a request for all that watch it. */
export function observeRequests(...observers: RequestObserver[]): RequestHandler {
  return (req, res, next) => {
    const startedAtMs = performance.now();
    res.on('close', () => {
      const durationMs = performance.now() - startedAtMs;
      for (const observe of observers) observe(req, res, durationMs);
    });
    next();
  };
}
