import type { RequestListener } from 'node:http';
import type { Express } from 'express';

/** Express calls this for each request, but its types do not declare it. */
interface Handling {
  handle(req: Parameters<RequestListener>[0], res: Parameters<RequestListener>[1], next?: unknown): void;
}

/** Makes the application run its handlers only for requests for which `respond` returns false. */
export function intercept(app: Express, respond: (...request: Parameters<RequestListener>) => boolean): Express {
  const { handle } = app as unknown as Handling;
  const handling: Handling = {
    handle(req, res, next) {
      if (!respond(req, res)) handle.call(app, req, res, next);
    },
  };
  return Object.assign(app, handling);
}
