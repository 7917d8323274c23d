import jwt, { type Jwt, type JwtPayload } from 'jsonwebtoken';
import type { SigningKey } from './signing-key.ts';

const LEEWAY_SECONDS = 30;
/** RFC 7515 section 4.1.9 and RFC 9068 section 2.1; compared without case. */
const TYPES = new Set<unknown>([undefined, 'jwt', 'at+jwt']);

export interface TokenSettings {
  issuer: string;
  audience: string;
  ttlSeconds: number;
}

/** What a good token says: whose it is, and when it ends in ms since the epoch. */
interface VerifiedToken {
  subject: string;
  expiresAtMs: number;
}

export interface Tokens {
  ttlSeconds: number;
  issue(subject: string): string;
  /** Undefined for a token that is not good, whatever the reason. */
  verify(token: string): VerifiedToken | undefined;
}

/** Access tokens (JWT, RFC 7519) under one key and one algorithm. */
export function createTokens(key: SigningKey, { issuer, audience, ttlSeconds }: TokenSettings): Tokens {
  const claims = { issuer, audience, algorithm: key.algorithm, expiresIn: ttlSeconds };
  const checks = {
    complete: true as const,
    algorithms: [key.algorithm],
    issuer,
    audience,
    clockTolerance: LEEWAY_SECONDS,
  };
  return {
    ttlSeconds,
    issue: (subject) => jwt.sign({}, key.sign, { ...claims, subject }),
    verify(token) {
      try {
        return readToken(jwt.verify(token, key.verify, checks));
      } catch {
        // jsonwebtoken throws TypeErrors too, at a payload of `null` for one: each of them is a bad token.
        return undefined;
      }
    },
  };
}

/** The checks that jsonwebtoken leaves out: required claims, `typ`, `crit`, an `iat` to come. */
function readToken({ header, payload }: Jwt): VerifiedToken | undefined {
  if (!TYPES.has(header.typ?.toLowerCase()) || header.crit !== undefined) return undefined;
  if (typeof payload !== 'object' || payload === null || Array.isArray(payload)) return undefined;
  const { sub, exp, iat, iss, aud }: JwtPayload = payload;
  if (typeof sub !== 'string' || sub === '' || iss === undefined || aud === undefined) return undefined;
  if (!Number.isFinite(exp) || !Number.isFinite(iat)) return undefined;
  if ((iat as number) > Date.now() / 1_000 + LEEWAY_SECONDS) return undefined;
  return { subject: sub, expiresAtMs: (exp as number) * 1_000 };
}
