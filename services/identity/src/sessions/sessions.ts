import type { SessionRecord } from '@agent-fleet/access/records';
import { type Input, json, type Reply } from '@agent-fleet/shared/contract/operation';
import { pageHeaders } from '@agent-fleet/shared/contract/paging';
import { detailError, forbidden, httpError } from '@agent-fleet/shared/http/errors';
import type { Caller } from '@agent-fleet/shared/http/internal-access';
import { isId } from '@agent-fleet/shared/ids';
import { type Origin, originOf, requireCaller, toEntry } from '../http/origin.ts';
import { retryConflicts } from '../redis/commit.ts';
import type { IdentityContext } from '../redis/context.ts';
import { isAllowed, type SessionStore } from '../stores/session-store.ts';
import type { UserStore } from '../stores/user-store.ts';
import type { endSession, listSessions, Session } from './contract.ts';

const ADMIN = 'users:admin';

/** `/sessions`: one's own, and those of others for administrators. */
export function createSessions(
  { commit, durable }: IdentityContext,
  { users, sessions }: { users: UserStore; sessions: SessionStore },
) {
  /** The sessions of a user that are still valid, with their last use. @throws 404 for an unknown user */
  async function listValid(userId: string): Promise<Session[]> {
    const user = isId(userId) ? (await users.read(userId))?.record : undefined;
    if (!user) throw detailError(404, 'User not found');
    const found = (await sessions.list(userId)).filter((session) => isAllowed(session, user));
    const used = await sessions.readUsed(found.map(({ id }) => id));
    return found.flatMap((session, at) => {
      const usedAtMs = Math.max(Date.parse(session.last_used_at), used[at] ?? 0);
      const isIdle = session.kind === 'browser' && used[at] === null;
      return isIdle ? [] : [toServed(session, usedAtMs)];
    });
  }

  async function end(sessionId: string, caller: Caller, origin: Origin): Promise<void> {
    const session = isId(sessionId) ? await sessions.read(sessionId) : undefined;
    const isOwn = caller.type === 'user' && session?.user_id === caller.id;
    if (!session || !(isOwn || isAdmin(caller))) throw detailError(404, 'Session not found');
    await commit([sessions.toEnd(session)], [toEntry(origin, 'session.ended', ['session', sessionId])]);
  }

  return {
    async list({ query, req }: Input<typeof listSessions>): Promise<Reply> {
      const { skip, limit, user_id } = query;
      const all = await listValid(chooseUser(requireCaller(originOf(req)), user_id));
      return json(all.slice(skip, skip + limit), 200, pageHeaders(req.originalUrl, { skip, limit }, all.length));
    },

    async end({ params, req }: Input<typeof endSession>): Promise<Reply> {
      const origin = originOf(req);
      const caller = requireCaller(origin);
      await retryConflicts(() => end(params.session_id, caller, origin));
      await durable();
      return { status: 204 };
    },
  };
}

/** @throws 403 for the sessions of others without `users:admin`, and for a caller that is no user and names none */
function chooseUser(caller: Caller, userId: string | undefined): string {
  const own = caller.type === 'user' ? caller.id : undefined;
  if (userId !== undefined && userId !== own && !isAdmin(caller)) throw forbidden(ADMIN);
  const chosen = userId ?? own;
  if (chosen === undefined) throw httpError('forbidden', 'Only users have sessions of their own');
  return chosen;
}

function isAdmin({ scopes }: Caller): boolean {
  return scopes.includes(ADMIN);
}

function toServed({ id, kind, created_at, address, user_agent }: SessionRecord, usedAtMs: number): Session {
  return { id, kind, created_at, last_used_at: new Date(usedAtMs).toISOString(), address, user_agent };
}
