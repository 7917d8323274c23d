import type { UserRecord } from '@agent-fleet/access/records';
import type { Tokens } from '@agent-fleet/access/tokens/token';
import { json, type Reply } from '@agent-fleet/shared/contract/operation';
import type { Scope } from '@agent-fleet/shared/contract/scopes';
import type { SessionParts } from '../sessions/current-session.ts';
import type { RefreshTokens } from './refresh-token.ts';

/** What the operations on tokens need. */
export interface TokenParts extends SessionParts {
  tokens: Tokens;
  refreshTokens: RefreshTokens;
}

/** A token to be issued. */
export interface Grant {
  user: Pick<UserRecord, 'id' | 'email'>;
  sessionId: string;
  tokenId: string;
  scopes: readonly Scope[];
  /** By the clock of Redis. */
  nowMs: number;
  refreshToken?: string;
  /** For the answer only. */
  scope?: string;
}

/** The answer with an access token (RFC 6749 section 5.1). */
export function toTokenReply(tokens: Tokens, grant: Grant): Reply {
  const { user, sessionId, tokenId, scopes, nowMs, refreshToken, scope } = grant;
  const access_token = tokens.issue({
    subject: user.email,
    userId: user.id,
    sessionId,
    tokenId,
    scopes,
    authTimeMs: nowMs,
  });
  return json({
    access_token,
    token_type: 'bearer',
    expires_in: tokens.ttlSeconds,
    ...(refreshToken !== undefined && { refresh_token: refreshToken }),
    ...(scope !== undefined && { scope }),
  });
}
