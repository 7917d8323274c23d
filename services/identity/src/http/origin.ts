import type { AuditActor, AuditEntry } from '@agent-fleet/access/audit';
import { detailError, type HttpError } from '@agent-fleet/shared/http/errors';
import { type Caller, readCaller } from '@agent-fleet/shared/http/internal-access';
import { REQUEST_ID_HEADER } from '@agent-fleet/shared/http/request-id';
import type { Request } from 'express';

const MAX_USER_AGENT = 200;

/** Where a request comes from, as the gateway reports it. */
export interface Origin {
  caller: Caller | undefined;
  actor: AuditActor;
  /** IP address of the client. */
  address: string;
  userAgent: string;
  requestId: string;
  isHttps: boolean;
}

export function originOf(req: Request): Origin {
  const caller = readCaller(req);
  return {
    caller,
    actor: caller
      ? { type: caller.type, id: caller.id, name: caller.name }
      : { type: 'anonymous', id: null, name: null },
    address: req.headers['x-forwarded-for']?.toString() ?? req.socket.remoteAddress ?? 'unknown',
    userAgent: (req.headers['user-agent'] ?? '').slice(0, MAX_USER_AGENT),
    requestId: req.headers[REQUEST_ID_HEADER] as string,
    isHttps: req.headers['x-forwarded-proto'] === 'https',
  };
}

/** An audit entry of a request. `actor` replaces the caller, for requests that had no credentials. */
export function toEntry(
  { actor, address, requestId }: Origin,
  action: string,
  target: [type: 'user' | 'key' | 'session' | 'token', id: string] | null,
  rest: Partial<Pick<AuditEntry, 'actor' | 'outcome'>> = {},
): AuditEntry {
  const aim = target && { type: target[0], id: target[1] };
  return { actor, action, target: aim, outcome: 'success', address, request_id: requestId, ...rest };
}

/** A user as the actor of an audit entry; without the e-mail address when the user no longer exists. */
export function toActor({ id, email }: { id: string; email: string | null }): AuditActor {
  return { type: 'user', id, name: email };
}

/** @throws 401 for a request without one: there is none without a gateway */
export function requireCaller({ caller }: Origin): Caller {
  if (!caller) throw unauthenticated();
  return caller;
}

export function unauthenticated(): HttpError {
  return detailError(401, 'Could not validate credentials', { 'www-authenticate': 'Bearer' });
}
