import type { SessionRecord } from '@agent-fleet/access/records';
import type { Reply } from '@agent-fleet/shared/contract/operation';
import { narrow, scopesOf } from '@agent-fleet/shared/contract/scopes';
import { createId } from '@agent-fleet/shared/ids';
import { type Origin, toActor, toEntry } from '../http/origin.ts';
import { retryConflicts } from '../redis/commit.ts';
import { type IdentityContext, redisTime } from '../redis/context.ts';
import { isAllowed } from '../stores/session-store.ts';
import type { StoredUser } from '../stores/user-store.ts';
import { type Grant, type TokenParts, toTokenReply } from './access-tokens.ts';
import { invalidGrant } from './contract.ts';
import type { RefreshToken } from './refresh-token.ts';
import { grantScopes, parseScope, type ScopeRequest, toGranted } from './scope-request.ts';

/** For this long, a token that was just replaced gets the same successor: two tabs, or an answer that was lost. */
const REPEAT_MS = 10_000;

/** A refresh token with what is stored for it. */
interface Presented {
  token: RefreshToken;
  session: SessionRecord;
  user: StoredUser | undefined;
  nowMs: number;
}

/** The grant `refresh_token` of `POST /token`. */
export function createRefreshGrant({ redis, commit, durable }: IdentityContext, parts: TokenParts) {
  const { users, sessions, tokens, refreshTokens } = parts;

  async function read(token: RefreshToken): Promise<Presented | undefined> {
    const session = await sessions.read(token.sessionId);
    if (session?.kind !== 'refresh') return undefined;
    const user = await users.read(session.user_id);
    return { token, session, user, nowMs: await redisTime(redis) };
  }

  /** Somebody has a copy of the token: nobody can tell who, so both lose the session. */
  async function endFamily({ session, user }: Presented, origin: Origin): Promise<void> {
    const actor = toOwner(session, user);
    const entry = toEntry(origin, 'session.family_revoked', ['session', session.id], { actor });
    await commit([sessions.toEnd(session)], [entry]);
    await durable();
  }

  async function renew(
    { token, session, nowMs }: Presented,
    stored: StoredUser,
    request: ScopeRequest,
    origin: Origin,
  ) {
    const { record: user } = stored;
    const allowed = narrow(session.scopes ?? scopesOf(user.role), scopesOf(user.role));
    const scopes = grantScopes(request, allowed);
    const next = refreshTokens.successorOf(token);
    const isRepeated = token.digest !== session.hash;
    // Made with another key, during a rotation of keys: the successor cannot be derived again.
    if (isRepeated && next.digest !== session.hash) throw invalidGrant();
    const unchanged = { checks: [sessions.toKeep(session), users.toKeep(stored)] };
    const entry = toEntry(origin, 'token.refreshed', ['session', session.id], { actor: toActor(user) });
    await commit(isRepeated ? [unchanged] : [unchanged, toRotate(session, token, next, nowMs)], [entry]);
    const tokenId = createId(nowMs);
    const granted: Grant = { user, sessionId: session.id, tokenId, scopes, nowMs, ...toGranted(request, scopes) };
    return { ...granted, refreshToken: next.text };
  }

  function toRotate(session: SessionRecord, token: RefreshToken, next: RefreshToken, nowMs: number) {
    const last_used_at = new Date(nowMs).toISOString();
    const rotated = { ...session, last_used_at, hash: next.digest, previous: { hash: token.digest, at: nowMs } };
    return sessions.toStore(rotated, nowMs);
  }

  async function attempt(token: RefreshToken, request: ScopeRequest, origin: Origin) {
    const presented = await read(token);
    if (!presented) throw invalidGrant();
    const { session, user, nowMs } = presented;
    const use = toUse(token, session, nowMs);
    if (use === 'forged' || Date.parse(session.expires_at) <= nowMs) throw invalidGrant();
    if (use === 'old') {
      await endFamily(presented, origin);
      throw invalidGrant();
    }
    if (user && isAllowed(session, user.record)) return renew(presented, user, request, origin);
    const rest = { actor: toOwner(session, user), outcome: 'failure' } as const;
    await commit([], [toEntry(origin, 'token.refused', ['session', session.id], rest)]);
    throw invalidGrant();
  }

  return async (fields: { refresh_token: string; scope?: string }, origin: Origin): Promise<Reply> => {
    const token = refreshTokens.parse(fields.refresh_token);
    if (!token) throw invalidGrant();
    const request = parseScope(fields.scope);
    return toTokenReply(tokens, await retryConflicts(() => attempt(token, request, origin)));
  };
}

/** `valid`: the current one, or the one before in time. A token that is found by its digest needs no MAC. */
function toUse({ digest, isOurs }: RefreshToken, { hash, previous }: SessionRecord, nowMs: number) {
  if (digest === hash) return 'valid';
  const isPrevious = digest === previous?.hash;
  if (isPrevious && nowMs - previous.at <= REPEAT_MS) return 'valid';
  return isPrevious || isOurs ? 'old' : 'forged';
}

function toOwner({ user_id }: SessionRecord, user: StoredUser | undefined) {
  return toActor({ id: user_id, email: user?.record.email ?? null });
}
