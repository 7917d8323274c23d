import type { JsonObject } from '@agent-fleet/shared/contract/json-object';
import jwt from 'jsonwebtoken';
import { parseCompactJws } from './compact-jws.ts';
import type { SigningKey, VerificationKey } from './signing-key.ts';

const LEEWAY_SECONDS = 30;
/** RFC 7515 section 4.1.9 and RFC 9068 section 2.1; compared without case. */
const TYPES = new Set<unknown>([undefined, 'jwt', 'at+jwt']);
/**
 * Header parameters that change how a token is read (RFC 7515 section 4.1.11, RFC 7797, RFC 7516) or supply a key of
 * the sender's choice (RFC 8725 section 3.10). Other unknown parameters are ignored (RFC 7515 section 4).
 */
const REFUSED_PARAMETERS = ['crit', 'b64', 'zip', 'enc', 'jku', 'jwk', 'x5u', 'x5c', 'x5t', 'x5t#S256'];
/** The end of the year 9999: a later date is in milliseconds by mistake. */
const MAX_DATE_SECONDS = 253_402_300_799;

/** The issuer and the audience of tokens, and how long they are valid. */
export interface TokenSettings {
  issuer: string;
  audience: string;
  ttlSeconds: number;
}

/** What a new token says. */
export interface TokenClaims {
  /** The e-mail address of the user. */
  subject: string;
  userId: string;
  sessionId: string;
  /** The id of the token itself. */
  tokenId: string;
  scopes: readonly string[];
  /** When the user signed in or the token was refreshed, by the clock of Redis, in ms since the epoch. */
  authTimeMs: number;
}

/** The claims of a valid token. */
export interface VerifiedToken extends TokenClaims {
  expiresAtMs: number;
}

export type Tokens = ReturnType<typeof createTokens>;

/**
 * Access tokens (JWT, RFC 7519). `key` signs; tokens of `other`, the previous or next key during a rotation, are valid
 * too.
 *
 * ECDSA signatures are malleable: anyone can compute (r, n − s) from (r, s), and RFC 7518 accepts both. Nothing may
 * depend on a token having only one spelling: caches hold only valid tokens, and revocation is by user.
 */
export function createTokens(key: SigningKey, settings: TokenSettings, other?: VerificationKey) {
  const { issuer, audience, ttlSeconds } = settings;
  const keys = other ? [key, other] : [key];
  const claims = { issuer, audience, algorithm: key.algorithm, keyid: key.id, expiresIn: ttlSeconds };
  const checks = { issuer, audience };
  return {
    ttlSeconds,
    issue({ subject, userId, sessionId, tokenId, scopes, authTimeMs }: TokenClaims): string {
      const own = { sid: sessionId, uid: userId, scope: scopes.join(' '), auth_time_ms: authTimeMs };
      return jwt.sign(own, key.sign, { ...claims, subject, jwtid: tokenId });
    },
    /** Undefined for an invalid token, for any reason. `leewaySeconds`: how much clocks may differ. */
    verify(token: string, leewaySeconds = LEEWAY_SECONDS): VerifiedToken | undefined {
      try {
        const { header, readClaims } = parseCompactJws(token);
        if (!isPlainHeader(header)) return undefined;
        const all = { ...checks, clockTolerance: leewaySeconds };
        const isSigned = keysFor(header, keys).some((key) => isSignedBy(key, token, all));
        return isSigned ? readToken(readClaims(), leewaySeconds) : undefined;
      } catch {
        return undefined;
      }
    },
  };
}

function isPlainHeader(header: JsonObject): boolean {
  const { typ } = header;
  if (REFUSED_PARAMETERS.some((name) => Object.hasOwn(header, name))) return false;
  return TYPES.has(typeof typ === 'string' ? typ.toLowerCase() : typ);
}

/** The key named by `kid`, and only with the key's own algorithm. */
function keysFor({ alg, kid }: JsonObject, keys: readonly VerificationKey[]): VerificationKey[] {
  return keys.filter(({ id, algorithm }) => algorithm === alg && (kid === undefined || kid === id));
}

/** Verifies the signature and the claims that jsonwebtoken checks: `iss`, `aud`, `exp`, `nbf`. */
function isSignedBy({ algorithm, verify }: VerificationKey, token: string, checks: jwt.VerifyOptions): boolean {
  try {
    jwt.verify(token, verify, { ...checks, algorithms: [algorithm] });
    return true;
  } catch {
    // jsonwebtoken also throws TypeErrors, for example for a `null` payload: the token is invalid.
    return false;
  }
}

/** The checks that jsonwebtoken omits: required claims, the types of all, and an `iat` in the future. */
function readToken(claims: JsonObject, leewaySeconds: number): VerifiedToken | undefined {
  const { sub, exp, iat, aud, jti, sid, uid, scope, auth_time_ms } = claims;
  if (!isName(sub) || !isName(jti) || !isName(sid) || !isName(uid)) return undefined;
  if (typeof scope !== 'string' || typeof auth_time_ms !== 'number') return undefined;
  if (![aud].flat().every((audience) => typeof audience === 'string')) return undefined;
  if (!isDate(exp) || !isDate(iat) || iat > Date.now() / 1_000 + leewaySeconds) return undefined;
  return {
    subject: sub,
    userId: uid,
    sessionId: sid,
    tokenId: jti,
    scopes: scope.split(' ').filter((name) => name !== ''),
    authTimeMs: auth_time_ms,
    expiresAtMs: exp * 1_000,
  };
}

function isName(claim: unknown): claim is string {
  return typeof claim === 'string' && claim !== '';
}

/** Seconds since the epoch, whole or not (RFC 7519 section 2, NumericDate). */
function isDate(value: unknown): value is number {
  return typeof value === 'number' && value >= 0 && value <= MAX_DATE_SECONDS;
}
