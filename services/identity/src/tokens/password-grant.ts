import type { Reply } from '@agent-fleet/shared/contract/operation';
import type { UserRecord } from '@agent-fleet/shared/identity/records';
import { type Scope, scopesOf } from '@agent-fleet/shared/identity/scopes';
import { type Origin, toActor, toEntry } from '../http/origin.ts';
import { createId } from '../ids.ts';
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
      const target = { type: 'user', id: user.id };
      const entry = toEntry(origin, { actor: toActor(user), action: 'token.refused', target, outcome: 'failure' });
      await commit({ commands: [], audit: [entry] });
      throw error;
    }
  }

  return async (fields: SignInFields & { scope?: string }, origin: Origin): Promise<Reply> => {
    const request = parseScope(fields.scope);
    const signIn = beginSignIn(fields, origin);
    const granted = await signIn.run(async () => {
      const { user, nowMs, checks, commands } = await signIn.check();
      const scopes = await grant(request, user, origin);
      const [tokenId, sessionId] = [createId(nowMs), createId(nowMs)];
      const refreshToken = request.isOffline ? refreshTokens.create(sessionId) : undefined;
      const kept = request.scopes === null ? null : scopes;
      const opened =
        refreshToken &&
        (await toOpenSession(
          sessions,
          { id: sessionId, kind: 'refresh', scopes: kept, hash: refreshToken.digest },
          { user, origin, nowMs },
        ));
      const target = { type: 'token', id: tokenId };
      const issued = toEntry(origin, { actor: toActor(user), action: 'token.issued', target });
      const failed = await commit({
        checks,
        commands: [...commands, ...(opened?.commands ?? [])],
        changes: opened?.changes ?? [],
        audit: [...(opened?.audit ?? []), issued],
      });
      if (failed) return 'conflict';
      const result: Grant = { user, sessionId, tokenId, scopes, nowMs, ...toGranted(request, scopes) };
      return refreshToken ? { ...result, refreshToken: refreshToken.text } : result;
    });
    return toTokenReply(tokens, granted);
  };
}
