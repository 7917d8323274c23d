import { digestOfSecret } from '@agent-fleet/access/api-key-text';
import type { SessionRecord } from '@agent-fleet/access/records';
import { type Input, json, type Reply } from '@agent-fleet/shared/contract/operation';
import { isScope } from '@agent-fleet/shared/contract/scopes';
import type { Caller } from '@agent-fleet/shared/http/internal-access';
import { createId } from '@agent-fleet/shared/ids';
import { type Origin, originOf, requireCaller, toEntry, unauthenticated } from '../http/origin.ts';
import { retryConflicts } from '../redis/commit.ts';
import type { IdentityContext } from '../redis/context.ts';
import type { BeginSignIn } from '../sign-in/sign-in.ts';
import type { SessionStore } from '../stores/session-store.ts';
import type { UserStore } from '../stores/user-store.ts';
import type { readSession, signInBrowser, signOut } from './contract.ts';
import { createCookieSecret, toClearCookies, toSetCookie } from './cookie.ts';
import { toOpenSession } from './open-session.ts';

/** What tokens and sessions need of other features. */
export interface SessionParts {
  users: UserStore;
  sessions: SessionStore;
  beginSignIn: BeginSignIn;
}

/** `/session`: that of the request. */
export function createCurrentSession(
  { commit, durable }: IdentityContext,
  { users, sessions, beginSignIn }: SessionParts,
) {
  /** The stored session of the caller; a token without a refresh token has none. */
  async function readOwn({ id, sessionId }: Caller): Promise<SessionRecord | undefined> {
    const session = sessionId === undefined ? undefined : await sessions.read(sessionId);
    return session?.user_id === id ? session : undefined;
  }

  async function end({ id: userId }: Caller, sessionId: string, origin: Origin): Promise<void> {
    const session = await sessions.read(sessionId);
    if (session && session.user_id !== userId) return;
    const ended = session ? sessions.toEnd(session) : sessions.toRevoke(sessionId);
    await commit([ended], [toEntry(origin, 'session.ended', ['session', sessionId])]);
  }

  return {
    async create({ body, req, res }: Input<typeof signInBrowser>): Promise<Reply> {
      res.setHeader('cache-control', 'no-store');
      const origin = originOf(req);
      // Always a new one: who has planted a cookie must not get the session (fixation).
      const secret = createCookieSecret();
      const signIn = beginSignIn(body, origin);
      await signIn.run(async () => {
        const { user, nowMs, part } = await signIn.check();
        const session = { id: createId(nowMs), kind: 'browser', scopes: null, hash: digestOfSecret(secret) } as const;
        const opened = await toOpenSession(sessions, session, { user, origin, nowMs });
        await commit([part, ...opened.parts], opened.audit);
      });
      return { status: 204, headers: { 'set-cookie': toSetCookie(secret, origin.isHttps) } };
    },

    async read({ query, req }: Input<typeof readSession>): Promise<Reply> {
      const origin = originOf(req);
      if (!origin.caller && query.optional) return json(null);
      const caller = requireCaller(origin);
      const scopes = caller.scopes.filter(isScope);
      if (caller.type !== 'user') return json({ user: caller.name, role: null, scopes, expires_at: null });
      const [user, session] = await Promise.all([users.read(caller.id), readOwn(caller)]);
      if (!user) throw unauthenticated();
      const { email, role } = user.record;
      return json({ user: email, role, scopes, expires_at: session?.expires_at ?? null });
    },

    async delete({ req, res }: Input<typeof signOut>): Promise<Reply> {
      const origin = originOf(req);
      const caller = requireCaller(origin);
      const { type, sessionId } = caller;
      if (type === 'user' && sessionId !== undefined) {
        await retryConflicts(() => end(caller, sessionId, origin));
        await durable();
      }
      res.setHeader('set-cookie', toClearCookies(origin.isHttps));
      return { status: 204 };
    },
  };
}
