import type { UserRecord } from '@agent-fleet/access/records';
import type { Reply } from '@agent-fleet/shared/contract/operation';
import { type Scope, scopesOf } from '@agent-fleet/shared/contract/scopes';
import { createId } from '@agent-fleet/shared/ids';
import { type Origin, toActor, toEntry } from '../http/origin.ts';
import type { IdentityContext } from '../redis/context.ts';
import { toOpenSession } from '../sessions/open-session.ts';
import type { SignInFields } from '../sign-in/sign-in.ts';
import { type Grant, type TokenParts, toTokenReply } from './access-tokens.ts';
import { grantScopes, parseScope, type ScopeRequest, toGranted } from './scope-request.ts';

/** The grant `password` of `POST /token`. */
export function createPasswordGrant({ commit }: IdentityContext, parts: TokenParts) {
  const { sessions, beginSignIn, tokens, refreshTokens } = parts;

  /** The scopes are looked at after the password: their refusal tells nothing about others' users. */
  async function grant(request: ScopeRequest, user: UserRecord, origin: Origin): Promise<Scope[]> {
    try {
      return grantScopes(request, scopesOf(user.role));
    } catch (error) {
      const rest = { actor: toActor(user), outcome: 'failure' } as const;
      await commit([], [toEntry(origin, 'token.refused', ['user', user.id], rest)]);
      throw error;
    }
  }

  return async (fields: SignInFields & { scope?: string }, origin: Origin): Promise<Reply> => {
    const request = parseScope(fields.scope);
    const signIn = beginSignIn(fields, origin);
    const granted = await signIn.run(async () => {
      const { user, nowMs, part } = await signIn.check();
      const scopes = await grant(request, user, origin);
      const [tokenId, sessionId] = [createId(nowMs), createId(nowMs)];
      const issued = toEntry(origin, 'token.issued', ['token', tokenId], { actor: toActor(user) });
      const result: Grant = { user, sessionId, tokenId, scopes, nowMs, ...toGranted(request, scopes) };
      if (!request.isOffline) {
        await commit([part], [issued]);
        return result;
      }
      const { text, digest } = refreshTokens.create(sessionId);
      const kept = request.scopes === null ? null : scopes;
      const session = { id: sessionId, kind: 'refresh', scopes: kept, hash: digest } as const;
      const opened = await toOpenSession(sessions, session, { user, origin, nowMs });
      await commit([part, ...opened.parts], [...opened.audit, issued]);
      return { ...result, refreshToken: text };
    });
    return toTokenReply(tokens, granted);
  };
}
