import type { VerifiedToken } from '@agent-fleet/access/tokens/token';
import type { Input, Reply } from '@agent-fleet/shared/contract/operation';
import { type Origin, originOf, toActor, toEntry } from '../http/origin.ts';
import { Conflict, retryConflicts, type WritePart } from '../redis/commit.ts';
import type { IdentityContext } from '../redis/context.ts';
import { REVOKED_MS } from '../stores/session-store.ts';
import type { TokenParts } from './access-tokens.ts';
import type { revokeToken } from './contract.ts';
import type { RefreshToken } from './refresh-token.ts';

/** With a wrong clock, a token that others accept seems to have ended, or not to have begun. */
const LEEWAY_SECONDS = 86_400;

/** `POST /revoke` (RFC 7009). */
export function createRevocation({ keys, commit, durable }: IdentityContext, parts: TokenParts) {
  const { users, sessions, tokens, refreshTokens } = parts;

  /** Any token of the session will do, also an old one: whoever has it must not have the session. */
  async function endFamily(token: RefreshToken, origin: Origin): Promise<void> {
    const session = await sessions.read(token.sessionId);
    if (session?.kind !== 'refresh') return;
    const isKnown = token.digest === session.hash || token.digest === session.previous?.hash;
    if (!isKnown && !token.isOurs) return;
    const user = await users.read(session.user_id);
    const actor = toActor({ id: session.user_id, email: user?.record.email ?? null });
    const entry = toEntry(origin, 'token.revoked', ['session', session.id], { actor });
    await commit([sessions.toEnd(session)], [entry]);
  }

  async function endToken({ tokenId, userId, subject }: VerifiedToken, origin: Origin): Promise<void> {
    const actor = toActor({ id: userId, email: subject });
    const ended: WritePart = {
      checks: [['value', keys.revoked(tokenId), null]],
      commands: [['SET', keys.revoked(tokenId), '1', 'PX', REVOKED_MS]],
      changes: [`token:${tokenId}`],
    };
    const entry = toEntry(origin, 'token.revoked', ['token', tokenId], { actor });
    await commit([ended], [entry]).catch((error: unknown) => {
      // Only once: the trail has an entry for what changed.
      if (!(error instanceof Conflict)) throw error;
    });
  }

  return async ({ body, req, res }: Input<typeof revokeToken>): Promise<Reply> => {
    res.setHeader('cache-control', 'no-store');
    const origin = originOf(req);
    const refreshToken = refreshTokens.parse(body.token);
    const accessToken = refreshToken ? undefined : tokens.verify(body.token, LEEWAY_SECONDS);
    if (refreshToken) await retryConflicts(() => endFamily(refreshToken, origin));
    if (accessToken) await endToken(accessToken, origin);
    if (refreshToken || accessToken) await durable();
    return { status: 200 };
  };
}
