import { timingSafeEqual } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { ErrorRequestHandler, RequestHandler } from 'express';
import { toHttpError } from './app.ts';
import { ClientGone, codeOf, httpError } from './errors.ts';

/** Proves that a request comes from the gateway, which removes this header from clients' requests. */
export const INTERNAL_TOKEN_HEADER = 'x-fleet-internal-token';
/**
 * The principal: `user:<e-mail>`, `key:<name>` for a key of the environment, `key:<id>` for another one, or
 * `oidc:<issuer>:<sub>`. Only the gateway sets this header and those below; trust them only together with the token.
 */
export const PRINCIPAL_HEADER = 'x-fleet-principal';
/** What the principal may do: scopes, separated by blanks. */
export const SCOPES_HEADER = 'x-fleet-scopes';
/** The only agents that the principal may see, separated by commas; absent without such a limit. */
export const AGENTS_HEADER = 'x-fleet-agents';
/** The id of the user or key, or `<issuer>:<sub>`. */
export const ACTOR_ID_HEADER = 'x-fleet-actor-id';
/** The user who owns the key, as in the header above; absent for a key that no user owns. */
export const OWNER_ID_HEADER = 'x-fleet-owner-id';
/** The e-mail address of the user, or the name of the key. */
export const ACTOR_NAME_HEADER = 'x-fleet-actor-name';
/** The session of a token or cookie. */
export const SESSION_HEADER = 'x-fleet-session';
/** Of a response, for the gateway's log and metrics: the path with `{name}` for each parameter. */
export const ROUTE_HEADER = 'x-fleet-route';
/** Of a response: the error code, and what refused the request, for the gateway's log; clients get neither. */
export const ERROR_HEADER = 'x-fleet-error';
export const REJECTED_BY_HEADER = 'x-fleet-rejected-by';

/** Who sent a request, as the gateway reports it. */
export interface Caller {
  type: 'user' | 'key' | 'oidc';
  /** Unique: rate limits, quotas and Idempotency-Keys are kept for it. */
  principal: string;
  id: string;
  name: string;
  /** The user who owns the key. */
  ownerId?: string;
  scopes: readonly string[];
  /** The only agents that the caller may see; undefined: all. */
  agentIds?: ReadonlySet<string>;
  sessionId?: string;
}

/** Undefined for a request without a principal: of a public operation, or not from the gateway. */
export function readCaller({ headers }: IncomingMessage): Caller | undefined {
  const principal = headers[PRINCIPAL_HEADER]?.toString();
  if (principal === undefined) return undefined;
  const agents = headers[AGENTS_HEADER]?.toString();
  const sessionId = headers[SESSION_HEADER]?.toString();
  const ownerId = headers[OWNER_ID_HEADER]?.toString();
  return {
    type: principal.slice(0, principal.indexOf(':')) as Caller['type'],
    principal,
    id: fromHeader(headers[ACTOR_ID_HEADER]),
    name: fromHeader(headers[ACTOR_NAME_HEADER]),
    scopes: (headers[SCOPES_HEADER]?.toString() ?? '').split(' ').filter((scope) => scope !== ''),
    ...(agents !== undefined && { agentIds: new Set(agents.split(',').map(fromHeader)) }),
    ...(ownerId !== undefined && { ownerId: fromHeader(ownerId) }),
    ...(sessionId !== undefined && { sessionId: fromHeader(sessionId) }),
  };
}

const NOT_VISIBLE_ASCII = /[^\x21-\x7e]|%/gu;

/** Percent-encodes what a header cannot hold; `readCaller` decodes it. */
export function toHeaderText(text: string): string {
  return text.toWellFormed().replace(NOT_VISIBLE_ASCII, encodeURIComponent);
}

function fromHeader(value: string | string[] | undefined): string {
  return decodeURIComponent(value?.toString() ?? '');
}

/**
 * Reports to the gateway, for its access log, why a request is refused: errors that name what refused it, and each 429
 * and 5xx, whose cause is else the `service`. For services, before `finishApp`.
 */
export const reportErrors: ErrorRequestHandler = (error: unknown, _req, res, next) => {
  if (!(error instanceof ClientGone) && !res.headersSent) {
    const answer = toHttpError(error);
    const isFailure = answer.status === 429 || answer.status >= 500;
    const rejectedBy = answer.rejectedBy ?? (isFailure ? 'service' : undefined);
    if (rejectedBy !== undefined) {
      res.setHeader(ERROR_HEADER, codeOf(answer));
      res.setHeader(REJECTED_BY_HEADER, rejectedBy);
    }
  }
  next(error);
};

/** Refuses requests that do not come from the gateway with 403 `forbidden`; without tokens (development) none. */
export function requireInternalToken(accepted: readonly string[]): RequestHandler {
  const isFromGateway = toTokenCheck(accepted);
  return (req, _res, next) => {
    if (!isFromGateway(req)) throw httpError('forbidden', 'This service accepts requests from the gateway only');
    next();
  };
}

/**
 * Refuses `/ready` to a gateway whose token is wrong: otherwise it would be ready, and all its requests be refused.
 * Other probes have no token.
 */
export function refuseWrongToken(accepted: readonly string[]): RequestHandler {
  const requireToken = requireInternalToken(accepted);
  return (req, res, next) => (INTERNAL_TOKEN_HEADER in req.headers ? requireToken(req, res, next) : next());
}

/** Returns a check whether a request comes from the gateway; without tokens it accepts all. */
export function toTokenCheck(accepted: readonly string[]): (req: IncomingMessage) => boolean {
  if (accepted.length === 0) return () => true;
  const tokens = accepted.map((token) => Buffer.from(token));
  return (req) => {
    const header = req.headers[INTERNAL_TOKEN_HEADER];
    if (typeof header !== 'string') return false;
    const given = Buffer.from(header);
    return tokens.some((token) => isEqual(given, token));
  };
}

function isEqual(given: Buffer, expected: Buffer): boolean {
  return given.length === expected.length && timingSafeEqual(given, expected);
}
