import type { Request, RequestHandler } from 'express';
import { forbidden, httpError, notFound } from '../http/errors.ts';
import { PRINCIPAL_HEADER, ROUTE_HEADER, SCOPES_HEADER } from '../http/internal-access.ts';
import type { Binding, Operation } from './operation.ts';
import { type BeforeOperation, createRouter } from './router.ts';

interface ServiceRouterOptions {
  bindings: readonly Binding[];
  /** The internal tokens of the service; without any (development) it trusts everybody. */
  acceptedTokens: readonly string[];
  /** Operations that decide about their callers themselves. Default: none. */
  isExempt?: (operation: Operation, req: Request) => boolean;
  /** Runs after the check of the scope. */
  before?: BeforeOperation;
}

/**
 * The router of a service behind the gateway, which authenticates: the service authorises. It answers in this order:
 * 404 for an unknown path, 405 for another method, 403 for a missing scope, then what the operation answers. A body
 * that an operation does not declare is not read. Each response names its path template in `x-fleet-route`.
 */
export function createServiceRouter({
  bindings,
  acceptedTokens,
  isExempt,
  before,
}: ServiceRouterOptions): RequestHandler {
  const requireScope = createScopeCheck(acceptedTokens);
  const check: BeforeOperation = (operation, params, req) => {
    if (!isExempt?.(operation, req)) requireScope(operation, req);
    before?.(operation, params, req);
  };
  const router = createRouter(bindings, check, ROUTE_HEADER);
  return (req, res) => router(req, res, refusePath);
}

function refusePath(): never {
  throw notFound();
}

/** Refuses callers without the scope of an operation; without internal tokens, those with other scopes only. */
export function createScopeCheck(acceptedTokens: readonly string[]) {
  return ({ security, scope }: Operation, req: Request): void => {
    if (security === 'public') return;
    const scopes = req.headers[SCOPES_HEADER]?.toString();
    if (scopes === undefined && acceptedTokens.length === 0) return;
    if (req.headers[PRINCIPAL_HEADER] === undefined) throw httpError('forbidden', 'This needs a principal');
    if (scope !== 'signed-in' && !scopes?.split(' ').includes(scope)) throw forbidden(scope);
  };
}
