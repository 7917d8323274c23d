import { normaliseEmail } from '@agent-fleet/access/records';
import { type JsonObject, ownValue } from '@agent-fleet/shared/contract/json-object';
import { ROLE_NAMES, type Role } from '@agent-fleet/shared/contract/scopes';
import type { OidcIssuer } from './issuers-file.ts';

/** Whom a valid token of an issuer stands for. */
export interface OidcIdentity {
  /** The issuer's `name`. */
  issuer: string;
  sub: string;
  /** Only one that the issuer has verified. */
  email?: string;
  /** The highest one that the token's values map to; undefined when there is none. */
  role?: Role;
  expiresAtMs: number;
}

export const LEEWAY_SECONDS = 30;
/** OpenID Connect Core 1.0 section 2. */
const MAX_SUBJECT_LENGTH = 255;
/** The end of the year 9999: a later date is in milliseconds by mistake. */
const MAX_DATE_SECONDS = 253_402_300_799;

/** Reads verified claims, with the checks that jose omits; undefined when one fails. */
export function toIdentity(issuer: OidcIssuer, claims: JsonObject): OidcIdentity | undefined {
  const { sub, exp, iat, email, email_verified: isVerified } = claims;
  if (typeof sub !== 'string' || sub === '' || sub.length > MAX_SUBJECT_LENGTH || !sub.isWellFormed()) return undefined;
  if (!isDate(exp) || !isDate(iat) || iat > Date.now() / 1_000 + LEEWAY_SECONDS) return undefined;
  const address = typeof email === 'string' && isVerified === true ? normaliseEmail(email) : undefined;
  const role = readRole(issuer, claims);
  return {
    issuer: issuer.name,
    sub,
    ...(address !== undefined && { email: address }),
    ...(role && { role }),
    expiresAtMs: exp * 1_000,
  };
}

/** Seconds since the epoch, whole or not (RFC 7519 section 2, NumericDate). */
function isDate(value: unknown): value is number {
  return typeof value === 'number' && value >= 0 && value <= MAX_DATE_SECONDS;
}

function readRole({ role_claim: path, roles }: OidcIssuer, claims: JsonObject): Role | undefined {
  const mapped = new Set<unknown>();
  for (const value of [readClaim(claims, path)].flat()) {
    if (typeof value === 'string' && Object.hasOwn(roles, value)) mapped.add(roles[value]);
  }
  return ROLE_NAMES.findLast((role) => mapped.has(role));
}

/** A claim whose whole name is `path` goes first: names like `https://example.com/roles` contain dots. */
function readClaim(claims: JsonObject, path: string): unknown {
  if (Object.hasOwn(claims, path)) return claims[path];
  return path.split('.').reduce<unknown>(ownValue, claims);
}
