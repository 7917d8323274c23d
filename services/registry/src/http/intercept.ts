import type { RequestListener } from 'node:http';
import type { Express } from 'express';

/** What Express calls for each request, and does not declare. */
interface Handling {
  handle(req: Parameters<RequestListener>[0], res: Parameters<RequestListener>[1], next?: unknown): void;
}

/** The same application, which goes through its handlers only for what `answers` does not answer: gives false for. */
export function intercept(app: Express, answers: (...request: Parameters<RequestListener>) => boolean): Express {
  const { handle } = app as unknown as Handling;
  const handling: Handling = {
    handle(req, res, next) {
      if (!answers(req, res)) handle.call(app, req, res, next);
    },
  };
  return Object.assign(app, handling);
}
