import type { Request } from 'express';
import { forbidden, httpError } from '../http/errors.ts';
import { PRINCIPAL_HEADER, SCOPES_HEADER } from '../http/internal-access.ts';
import type { Operation } from './operation.ts';

/**
 * For the router of a service: refuses callers without the scope of the operation, as the gateway does, so that a
 * service that is reached some other way is no hole. Without internal tokens (development), the service trusts
 * everybody, and only requests that have the header are held to it.
 */
export function requireScope(acceptedTokens: readonly string[]) {
  return ({ security, scope }: Operation, req: Request): void => {
    if (security === 'public') return;
    const scopes = req.headers[SCOPES_HEADER]?.toString();
    if (scopes === undefined && acceptedTokens.length === 0) return;
    if (req.headers[PRINCIPAL_HEADER] === undefined) throw httpError('forbidden', 'This needs a principal');
    if (scope !== 'signed-in' && !scopes?.split(' ').includes(scope)) throw forbidden(scope);
  };
}
