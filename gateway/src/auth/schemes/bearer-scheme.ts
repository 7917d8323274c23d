import { normaliseEmail } from '@agent-fleet/access/records';
import { MAX_TOKEN_LENGTH, parseCompactJws } from '@agent-fleet/access/tokens/compact-jws';
import type { VerifiedToken } from '@agent-fleet/access/tokens/token';
import { isScope, narrow, scopesOf } from '@agent-fleet/shared/contract/scopes';
import { httpError } from '@agent-fleet/shared/http/errors';
import type { Response } from 'express';
import type { Found } from '../credentials/credential-cache.ts';
import type { OidcIssuer } from '../oidc/issuers-file.ts';
import type { OidcTokens } from '../oidc/oidc-tokens.ts';
import { toPrincipal } from './principal.ts';
import {
  type AuthenticationScheme,
  isSignedIn,
  requireUser,
  unauthenticated,
  type VerifierDependencies,
} from './scheme.ts';

const HEADER = 'authorization';
const PREFIX = 'bearer ';

/** An access token (RFC 6750 section 2.1) from `POST /token`, or of an external issuer. */
export const bearerScheme: AuthenticationScheme = {
  name: 'bearer',
  header: 'Authorization',
  isFallback: false,
  createVerifier(dependencies) {
    const { oidc } = dependencies;
    const cache = dependencies.createCache();
    return {
      verify(header, { rawHeaders }, res) {
        if (isRepeated(rawHeaders)) throw unauthenticated();
        const kept = cache.get(header);
        if (kept) return kept;
        const token = readToken(header);
        if (token === undefined) throw unauthenticated();
        const issuer = oidc?.issuerOf(readIssuer(token));
        if (oidc && issuer) {
          return cache
            .lookUp(header, () => lookUpOidc({ ...dependencies, oidc }, token, issuer, res))
            .then(requireUser);
        }
        const verified = dependencies.tokens.verify(token);
        if (!verified) throw unauthenticated();
        return cache.lookUp(header, () => lookUp(dependencies, verified, res)).then(requireUser);
      },
      isKnown: (header) => cache.isKnown(header),
    };
  },
};

async function lookUp(
  { records, audit }: VerifierDependencies,
  token: VerifiedToken,
  res: Response,
): Promise<Found | undefined> {
  const email = normaliseEmail(token.subject);
  if (email === undefined) return undefined;
  const { sessionId, tokenId, expiresAtMs } = token;
  const { user, isRevoked } = await records.forToken(email, sessionId, tokenId);
  if (!user || isRevoked || token.userId !== user.id || !isSignedIn(user, token.authTimeMs, sessionId)) {
    // The user of the token, who may have been deleted: another one may have the e-mail address now.
    const actor = { type: 'user', id: token.userId, name: email } as const;
    audit.record({ actor, action: 'token.refused', target: { type: 'token', id: tokenId }, outcome: 'failure' }, res);
    return undefined;
  }
  const principal = toPrincipal({
    actor: { type: 'user', id: user.id, name: user.email },
    uniqueName: user.email,
    scopes: narrow(token.scopes.filter(isScope), scopesOf(user.role)),
    tags: [`user:${user.id}`, `token:${tokenId}`, `session:${sessionId}`],
    sessionId,
    shownUser: user.email,
    expiresAtMs,
  });
  return { principal, expiresAtMs };
}

async function lookUpOidc(
  { oidc, records, audit }: VerifierDependencies & { oidc: OidcTokens },
  token: string,
  from: OidcIssuer,
  res: Response,
): Promise<Found | undefined> {
  const identity = await oidc.verify(token, from);
  if (!identity) return undefined;
  const { issuer, sub, email, role, expiresAtMs } = identity;
  const id = `${issuer}:${sub}`;
  const actor = { type: 'oidc', id, name: email ?? sub } as const;
  const target = { type: 'token', id };
  if (!role) {
    audit.record({ actor, action: 'token.refused', target, outcome: 'failure' }, res);
    throw httpError('forbidden', 'No role is mapped to this user of the external issuer');
  }
  if (await records.isFirstUse(token, expiresAtMs)) {
    audit.record({ actor, action: 'token.accepted', target, outcome: 'success' }, res);
  }
  const principal = toPrincipal({
    actor,
    uniqueName: id,
    scopes: scopesOf(role),
    shownUser: email ?? sub,
    expiresAtMs,
  });
  return { principal, expiresAtMs };
}

/** The issuer that a token names, before it is verified. */
function readIssuer(token: string): string {
  try {
    return String(parseCompactJws(token).readClaims().iss);
  } catch {
    return '';
  }
}

/** The token of `Authorization: Bearer …`, the scheme in any case; undefined for anything else. */
function readToken(header: string): string | undefined {
  if (header.slice(0, PREFIX.length).toLowerCase() !== PREFIX) return undefined;
  const token = header.slice(PREFIX.length).trim();
  return token.length <= MAX_TOKEN_LENGTH ? token : undefined;
}

/** Node keeps the first of two Authorization headers and drops the other. */
function isRepeated(rawHeaders: readonly string[]): boolean {
  let times = 0;
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at] as string;
    if (name.length === HEADER.length && name.toLowerCase() === HEADER) times++;
  }
  return times > 1;
}
