import { forbidden } from '@agent-fleet/shared/http/errors';
import type { RequestHandler } from 'express';
import { isPublic } from '../routing/route-table.ts';
import type { AuditTrail } from './audit/audit-trail.ts';

/**
 * Refuses requests whose principal lacks the scope of the operation, before the rate limit and the body. Until the
 * document of a service is known, the service alone checks it. @throws 403 `forbidden`
 */
export function requireScope(audit: AuditTrail): RequestHandler {
  return (req, res, next) => {
    const { route, caller } = res.locals;
    const required = route?.scopes?.get(req.method);
    if (!required || !caller || isPublic(route, req.method) || caller.scopes.has(required)) return next();
    const target = { type: 'operation', id: `${req.method} ${route?.template}` };
    audit.record({ actor: caller.actor, action: 'access.refused', target, outcome: 'failure' }, res);
    throw forbidden(required);
  };
}
