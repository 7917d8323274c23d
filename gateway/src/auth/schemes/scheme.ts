import type { EnvironmentKeys } from '@agent-fleet/access/environment-keys';
import type { UserRecord } from '@agent-fleet/access/records';
import type { Tokens } from '@agent-fleet/access/tokens/token';
import { detailError, type HttpError } from '@agent-fleet/shared/http/errors';
import type { Request, Response } from 'express';
import type { AuditTrail } from '../audit-trail.ts';
import type { ChangeFollower } from '../credentials/change-follower.ts';
import type { CredentialCache } from '../credentials/credential-cache.ts';
import type { OidcTokens } from '../oidc/oidc-tokens.ts';
import type { Records } from '../records/records.ts';
import type { Principal } from './principal.ts';

/** Verifies the credentials of one scheme. */
export interface Verifier {
  /** The credential that a request has, if any. Default: the value of the scheme's header. */
  credentialIn?(req: Request, res: Response): string | undefined;
  /** Returns a promise only for a look-up. @throws HttpError for a credential that is not valid */
  verify(credential: string, req: Request, res: Response): Principal | Promise<Principal>;
  /** Whether this process has accepted the credential before. Does not authenticate: it recognises a known client. */
  isKnown(credential: string): boolean;
}

/** The dependencies of verifiers. */
export interface VerifierDependencies {
  environmentKeys: EnvironmentKeys;
  tokens: Tokens;
  /** Undefined without external issuers. */
  oidc: OidcTokens | undefined;
  records: Records;
  audit: AuditTrail;
  changes: Pick<ChangeFollower, 'position'>;
  /** A new cache for the credentials of a scheme. */
  createCache(): CredentialCache;
}

/** A way to authenticate with the value of one request header. `SCHEMES` lists all of them. */
export interface AuthenticationScheme {
  /** Its name in `SECURITY_SCHEMES`. */
  name: string;
  /** The header with the credential. It is never forwarded. */
  header: string;
  /** Whether it counts only when the request has no credential of another scheme. */
  isFallback: boolean;
  createVerifier(dependencies: VerifierDependencies): Verifier;
}

/** 401 with a challenge (RFC 6750 section 3). */
export function unauthenticated(): HttpError {
  return detailError(401, 'Could not validate credentials', { 'www-authenticate': 'Bearer' });
}

/** What a look-up has found. @throws 401 */
export function requireUser(user: Principal | undefined): Principal {
  if (!user) throw unauthenticated();
  return user;
}

/** Whether a user is not disabled, and has not signed out everywhere since `authTimeMs`, except in this session. */
export function isSignedIn(user: UserRecord, authTimeMs: number, sessionId: string): boolean {
  return !user.disabled && (authTimeMs >= user.tokens_valid_after || user.kept_session === sessionId);
}
