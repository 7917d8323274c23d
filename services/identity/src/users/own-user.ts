import { detailError, httpError } from '@agent-fleet/shared/http/errors';
import { readCaller } from '@agent-fleet/shared/http/internal-access';
import type { Request } from 'express';
import type { StoredUser, UserStore } from './user-store.ts';

/** The user who sent a request. @throws 403 `forbidden` for a caller who is not a user, 404 when it was deleted */
export async function requireOwnUser(users: UserStore, req: Request): Promise<StoredUser> {
  const caller = readCaller(req);
  if (caller?.type !== 'user') throw httpError('forbidden', 'Only users have an account here');
  const user = await users.read(caller.id);
  if (user === undefined) throw detailError(404, 'User not found');
  return user;
}
