import type { Input, Reply } from '@agent-fleet/shared/contract/operation';
import { pageHeaders } from '@agent-fleet/shared/contract/paging';
import { detailError, type HttpError, httpError } from '@agent-fleet/shared/http/errors';
import { etagOf } from '@agent-fleet/shared/http/etag';
import type { UserRecord } from '@agent-fleet/shared/identity/records';
import { originOf, toEntry } from '../http/origin.ts';
import { createId, isId } from '../ids.ts';
import type { Passwords } from '../passwords/passwords.ts';
import { type IdentityContext, redisTime } from '../redis/context.ts';
import type { SessionStore } from '../sessions/session-store.ts';
import type { createUser, getOwnUser, getUser, listUsers } from './contract.ts';
import { requireOwnUser } from './own-user.ts';
import type { ResetStore } from './reset-store.ts';
import { requireGoodPassword } from './set-password.ts';
import { newUser } from './user-record.ts';
import { MAX_USERS, type StoredUser, toServed, type UserStore } from './user-store.ts';

export interface UserDependencies {
  users: UserStore;
  sessions: SessionStore;
  resets: ResetStore;
  passwords: Passwords;
}

/** The operations that list, create and read users. */
export function createUsers({ redis, keys, commit }: IdentityContext, { users, passwords }: UserDependencies) {
  const requireUser = createRequireUser(users);

  return {
    async list({ query, req }: Input<typeof listUsers>): Promise<Reply> {
      const page = await users.list(query);
      const json = JSON.stringify(page.users.map(toServed));
      return { status: 200, json, headers: pageHeaders(req.originalUrl, query, page.total) };
    },

    async create({ body, req }: Input<typeof createUser>): Promise<Reply> {
      const { email, role, password } = body;
      if (password !== undefined) requireGoodPassword('password', password, email);
      if ((await redis.exists(keys.userEmail(email))) === 1) throw emailTaken();
      const password_hash = password === undefined ? null : await passwords.hash(password);
      const id = createId(await redisTime(redis));
      const user = newUser({ id, email, role, password_hash });
      const entry = toEntry(originOf(req), { action: 'user.created', target: { type: 'user', id } });
      const failed = await commit({ ...users.toCreate(user), audit: [entry] });
      if (failed) throw failed[0] === 'value' ? emailTaken() : tooManyUsers();
      return { ...toReply(user, 201), headers: { location: `/users/${id}` } };
    },

    async read({ params }: Input<typeof getUser>): Promise<Reply> {
      return toReply((await requireUser(params.user_id)).record);
    },

    async readOwn({ req }: Input<typeof getOwnUser>): Promise<Reply> {
      return toReply((await requireOwnUser(users, req)).record);
    },

    /** @throws 404 when there is no such user */
    requireUser: async ({ user_id }: { user_id: string }) => void (await requireUser(user_id)),
  };
}

/** The result reads a user. @throws 404 */
export function createRequireUser(users: UserStore) {
  return async (userId: string): Promise<StoredUser> => {
    const user = isId(userId) ? await users.read(userId) : undefined;
    if (user === undefined) throw detailError(404, 'User not found');
    return user;
  };
}

export function toReply(user: UserRecord, status = 200): Reply {
  const json = toJson(user);
  return { status, json, etag: etagOf(json) };
}

/** The served JSON. */
export function toJson(user: UserRecord): string {
  return JSON.stringify(toServed(user));
}

function emailTaken(): HttpError {
  return httpError('email_taken', 'Another user has this e-mail address');
}

function tooManyUsers(): HttpError {
  return httpError('quota_exceeded', `There are ${MAX_USERS} users already`);
}
