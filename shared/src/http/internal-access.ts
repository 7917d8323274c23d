import { timingSafeEqual } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { RequestHandler } from 'express';
import { httpError } from './errors.ts';

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
/** The e-mail address of the user, or the name of the key. */
export const ACTOR_NAME_HEADER = 'x-fleet-actor-name';
/** The session of a token or cookie. */
export const SESSION_HEADER = 'x-fleet-session';

/** Who sent a request, as the gateway reports it. */
export interface Caller {
  type: 'user' | 'key' | 'oidc';
  /** Unique: rate limits, quotas and Idempotency-Keys are kept for it. */
  principal: string;
  id: string;
  name: string;
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
  return {
    type: principal.slice(0, principal.indexOf(':')) as Caller['type'],
    principal,
    id: fromHeader(headers[ACTOR_ID_HEADER]),
    name: fromHeader(headers[ACTOR_NAME_HEADER]),
    scopes: (headers[SCOPES_HEADER]?.toString() ?? '').split(' ').filter((scope) => scope !== ''),
    ...(agents !== undefined && { agentIds: new Set(agents.split(',').map(fromHeader)) }),
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

/** Refuses requests that do not come from the gateway with 403 `forbidden`; without a token (development) none. */
export function requireInternalToken(token: string | undefined): RequestHandler {
  const isFromGateway = toTokenCheck(token);
  return (req, _res, next) => {
    if (!isFromGateway(req)) throw httpError('forbidden', 'This service accepts requests from the gateway only');
    next();
  };
}

/** Returns a check whether a request comes from the gateway; without a token it accepts all. */
export function toTokenCheck(token: string | undefined): (req: IncomingMessage) => boolean {
  if (token === undefined) return () => true;
  const expected = Buffer.from(token);
  return (req) => {
    const given = req.headers[INTERNAL_TOKEN_HEADER];
    return typeof given === 'string' && isEqual(Buffer.from(given), expected);
  };
}

function isEqual(given: Buffer, expected: Buffer): boolean {
  return given.length === expected.length && timingSafeEqual(given, expected);
}
