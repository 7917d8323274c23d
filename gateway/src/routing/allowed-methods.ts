import { httpError } from '@agent-fleet/shared/http/errors';
import type { RequestHandler } from 'express';
import { sendAllowed } from '../response-headers.ts';

export type AllowedMethods = ReturnType<typeof toAllowedMethods>;

/** The methods of a path, and the value of `Allow`: adds `HEAD` to `GET`, and `OPTIONS`, which the gateway serves. */
export function toAllowedMethods(methods: readonly string[]) {
  const allowed = new Set(methods.map((method) => method.toUpperCase()));
  allowed.delete('OPTIONS');
  if (allowed.has('GET')) allowed.add('HEAD');
  return { has: (method: string) => allowed.has(method), allow: [...allowed, 'OPTIONS'].join(', ') };
}

/**
 * Responds to methods that a path does not have, so that they reach no service: `OPTIONS` with 204, others with 405
 * `method_not_allowed`, both with `Allow`. Runs after authentication.
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
