import type { Reply } from '@agent-fleet/shared/contract/operation';
import type { UserRecord } from '@agent-fleet/shared/identity/records';
import { type Scope, scopesOf } from '@agent-fleet/shared/identity/scopes';
import type { Tokens } from '@agent-fleet/shared/tokens/token';
import { type Origin, toEntry } from '../http/origin.ts';
import { createId } from '../ids.ts';
import type { IdentityContext } from '../redis/context.ts';
import { toOpenSession } from '../sessions/open-session.ts';
import type { SessionStore } from '../sessions/session-store.ts';
import { type Made, type SignIn, type SignInFields, toActor } from '../sign-in/sign-in.ts';
import { type Grant, toTokenReply } from './access-tokens.ts';
import type { RefreshTokens } from './refresh-token.ts';
import { grantScopes, parseScope, type ScopeRequest, toGranted } from './scope-request.ts';

interface Parts {
  sessions: SessionStore;
  signIn: SignIn;
  tokens: Tokens;
  refreshTokens: RefreshTokens;
}

/** The grant `password` of `POST /token`. */
export function createPasswordGrant({ commit }: IdentityContext, parts: Parts) {
  const { sessions, signIn, tokens, refreshTokens } = parts;

  /** The scopes are looked at after the password: their refusal tells nothing about others' users. */
  async function grant(request: ScopeRequest, user: UserRecord, origin: Origin): Promise<Scope[]> {
    try {
      return grantScopes(request, scopesOf(user.role));
    } catch (error) {
      const target = { type: 'user', id: user.id };
      const entry = toEntry(origin, { actor: toActor(user), action: 'token.refused', target, outcome: 'failure' });
      await commit({ commands: [], audit: [entry] });
      throw error;
    }
  }

  return async (fields: SignInFields & { scope?: string }, origin: Origin): Promise<Reply> => {
    const request = parseScope(fields.scope);
    const granted = await signIn(fields, origin, async (user, nowMs): Promise<Made<Grant>> => {
      const scopes = await grant(request, user, origin);
      const tokenId = createId(nowMs);
      const sessionId = createId(nowMs);
      const target = { type: 'token', id: tokenId };
      const issued = toEntry(origin, { actor: toActor(user), action: 'token.issued', target });
      const result: Grant = { user, sessionId, tokenId, scopes, nowMs, ...toGranted(request, scopes) };
      if (!request.isOffline) return { result, commands: [], audit: [issued] };
      const { text, digest } = refreshTokens.create(sessionId);
      const kept = request.scopes === null ? null : scopes;
      const session = { id: sessionId, kind: 'refresh', scopes: kept, hash: digest } as const;
      const opened = await toOpenSession(sessions, session, user, origin, nowMs);
      return { ...opened, result: { ...result, refreshToken: text }, audit: [...opened.audit, issued] };
    });
    return toTokenReply(tokens, granted);
  };
}
