import type { UserRecord } from '@agent-fleet/access/records';
import type { Input, Reply } from '@agent-fleet/shared/contract/operation';
import { pageHeaders } from '@agent-fleet/shared/contract/paging';
import { detailError, type HttpError, httpError } from '@agent-fleet/shared/http/errors';
import { etagOf } from '@agent-fleet/shared/http/etag';
import { readCaller } from '@agent-fleet/shared/http/internal-access';
import { createId, isId } from '@agent-fleet/shared/ids';
import type { Request } from 'express';
import { originOf, toEntry } from '../http/origin.ts';
import type { Passwords } from '../passwords/passwords.ts';
import { Conflict } from '../redis/commit.ts';
import { type IdentityContext, redisTime } from '../redis/context.ts';
import type { Failures } from '../sign-in/failures.ts';
import type { ApiKeyStore } from '../stores/api-key-store.ts';
import type { SessionStore } from '../stores/session-store.ts';
import { MAX_USERS, newUser, type StoredUser, type UserStore } from '../stores/user-store.ts';
import type { createUser, getOwnUser, getUser, listUsers } from './contract.ts';
import type { ResetStore } from './reset-store.ts';
import { requireGoodPassword } from './set-password.ts';

/** What the operations on users need. */
export interface UserParts {
  users: UserStore;
  sessions: SessionStore;
  apiKeys: ApiKeyStore;
  resets: ResetStore;
  passwords: Passwords;
  failures: Failures;
}

/** The operations that list, create and read users. */
export function createUsers({ redis, keys, commit }: IdentityContext, { users, passwords }: UserParts) {
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
      const entry = toEntry(originOf(req), 'user.created', ['user', id]);
      await commit([users.toCreate(user)], [entry]).catch((error: unknown) => {
        if (!(error instanceof Conflict)) throw error;
        throw error.check[0] === 'value' ? emailTaken() : tooManyUsers();
      });
      return { ...toReply(user, 201), headers: { location: `/users/${id}` } };
    },

    async read({ params }: Input<typeof getUser>): Promise<Reply> {
      return toReply((await requireUser(users, params.user_id)).record);
    },

    async readOwn({ req }: Input<typeof getOwnUser>): Promise<Reply> {
      return toReply((await requireOwnUser(users, req)).record);
    },

    /** @throws 404 when there is no such user */
    requireUser: async ({ user_id }: { user_id: string }) => void (await requireUser(users, user_id)),
  };
}

/** Reads a user. @throws 404 */
export async function requireUser(users: UserStore, userId: string): Promise<StoredUser> {
  const user = isId(userId) ? await users.read(userId) : undefined;
  if (user === undefined) throw detailError(404, 'User not found');
  return user;
}

/** The user who sent a request. @throws 403 `forbidden` for a caller who is not a user, 404 when it was deleted */
export async function requireOwnUser(users: UserStore, req: Request): Promise<StoredUser> {
  const caller = readCaller(req);
  if (caller?.type !== 'user') throw httpError('forbidden', 'Only users have an account here');
  return requireUser(users, caller.id);
}

export function toReply(user: UserRecord, status = 200): Reply {
  const json = toJson(user);
  return { status, json, etag: etagOf(json) };
}

/** The served JSON. */
export function toJson(user: UserRecord): string {
  return JSON.stringify(toServed(user));
}

/** A user as clients see it: without the hash of the password. */
function toServed({ id, email, role, disabled, created_at, last_sign_in_at }: UserRecord) {
  return { id, email, role, disabled, created_at, last_sign_in_at };
}

function emailTaken(): HttpError {
  return httpError('email_taken', 'Another user has this e-mail address');
}

function tooManyUsers(): HttpError {
  return httpError('quota_exceeded', `There are ${MAX_USERS} users already`);
}
