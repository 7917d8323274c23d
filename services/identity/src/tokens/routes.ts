import { createTokens } from '@agent-fleet/access/tokens/token';
import { parseInput } from '@agent-fleet/shared/contract/input';
import { type Binding, bind, type Input, type Reply } from '@agent-fleet/shared/contract/operation';
import type { IdentityConfig } from '../config.ts';
import { originOf } from '../http/origin.ts';
import type { IdentityContext } from '../redis/context.ts';
import type { SessionParts } from '../sessions/current-session.ts';
import { invalidGrant, issueToken, passwordGrant, refreshGrant, revokeToken } from './contract.ts';
import { createPasswordGrant } from './password-grant.ts';
import { createRefreshGrant } from './refresh-grant.ts';
import { createRefreshTokens } from './refresh-token.ts';
import { createRevocation } from './revocation.ts';

/** The operations on tokens. */
export function createTokenRoutes(
  context: IdentityContext,
  { config, ...parts }: SessionParts & { config: IdentityConfig },
): Binding[] {
  const tokens = createTokens(config.signingKey, config.tokens, config.verificationKey);
  const refreshTokens = createRefreshTokens(config.signingKey);
  const all = { ...parts, tokens, refreshTokens };
  const byPassword = createPasswordGrant(context, all);
  const byRefreshToken = createRefreshGrant(context, all);

  async function issue({ body, req, res }: Input<typeof issueToken>): Promise<Reply> {
    // RFC 6749 section 5.1 requires both, also of errors (section 5.2).
    res.setHeader('cache-control', 'no-store');
    res.setHeader('pragma', 'no-cache');
    const origin = originOf(req);
    const { grant_type, scope } = body;
    if (grant_type === 'password') return byPassword({ ...parseInput(passwordGrant, body), scope }, origin);
    if (grant_type !== 'refresh_token') throw invalidGrant();
    return byRefreshToken({ ...parseInput(refreshGrant, body), scope }, origin);
  }

  return [bind(issueToken, issue), bind(revokeToken, createRevocation(context, all))];
}
