import { httpError } from '@agent-fleet/shared/http/errors';
import type { RequestHandler } from 'express';
import { sendAllowed } from '../response-headers.ts';

/** Methods in capitals, and the same as the value of `Allow`. */
export interface AllowedMethods {
  has(method: string): boolean;
  allow: string;
}

/** `HEAD` is where `GET` is; `OPTIONS` is everywhere, and answered here. */
export function toAllowedMethods(methods: readonly string[]): AllowedMethods {
  const known = new Set(methods.map((method) => method.toUpperCase()));
  known.delete('OPTIONS');
  if (known.has('GET')) known.add('HEAD');
  return { has: (method) => known.has(method), allow: [...known, 'OPTIONS'].join(', ') };
}

/**
 * Answers what a path does not take, so that it reaches no service: `OPTIONS` 204, and the rest 405 `method_not_allowed`, both with
 * `Allow`. Goes after authentication.
 */
export const requireMethod: RequestHandler = (req, res, next) => {
  const methods = res.locals.route?.methods;
  if (!methods || methods.has(req.method)) return next();
  const { allow } = methods;
  if (req.method !== 'OPTIONS') {
    throw httpError('method_not_allowed', `Allowed here: ${allow}`, { headers: { allow } });
  }
  sendAllowed(res, allow);
};
