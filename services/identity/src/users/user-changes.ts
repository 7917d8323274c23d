import { ifMatch, isMatch, preconditionFailed } from '@agent-fleet/shared/contract/conditions';
import type { Input, Reply } from '@agent-fleet/shared/contract/operation';
import { httpError } from '@agent-fleet/shared/http/errors';
import { originOf, toEntry } from '../http/origin.ts';
import { Conflict, retryConflicts } from '../redis/commit.ts';
import type { IdentityContext } from '../redis/context.ts';
import type { StoredUser } from '../stores/user-store.ts';
import type { deleteUser, replaceUser } from './contract.ts';
import { requireUser, toJson, toReply, type UserParts } from './users.ts';

/** The operations that change or delete a user. */
export function createUserChanges(context: IdentityContext, { users, sessions, apiKeys, resets }: UserParts) {
  const { keys, commit, durable } = context;

  /** The user, if it is as the client knows it. */
  async function requireCurrent({
    params,
    req,
  }: Pick<Input<typeof deleteUser>, 'params' | 'req'>): Promise<StoredUser> {
    const user = await requireUser(users, params.user_id);
    if (!isMatch(ifMatch(req.headers['if-match']), toJson(user.record))) throw preconditionFailed();
    return user;
  }

  async function toEndAccess(userId: string) {
    const [code, ended] = await Promise.all([resets.toVoid(userId), sessions.toEndAll(userId)]);
    return [code, ...ended];
  }

  return {
    async replace(input: Input<typeof replaceUser>): Promise<Reply> {
      const { role, disabled } = input.body;
      const origin = originOf(input.req);
      const user = await retryConflicts(async () => {
        const before = await requireCurrent(input);
        const { record } = before;
        if (record.role === role && record.disabled === disabled) return record;
        const ended = disabled ? await toEndAccess(record.id) : [];
        const after = { ...record, role, disabled, ...(disabled && { kept_session: null }) };
        const entry = toEntry(origin, 'user.changed', ['user', record.id]);
        await commit([users.toReplace(before, after, disabled), ...ended], [entry]).catch(refuseLastAdmin);
        return after;
      });
      await durable();
      return toReply(user);
    },

    async delete(input: Input<typeof deleteUser>): Promise<Reply> {
      const origin = originOf(input.req);
      await retryConflicts(async () => {
        const before = await requireCurrent(input);
        const { id } = before.record;
        const [ended, owned] = await Promise.all([toEndAccess(id), apiKeys.toDeleteOwned(id)]);
        const parts = [users.toDelete(before), ...ended, owned, { commands: [['DEL', keys.userSessions(id)]] }];
        await commit(parts, [toEntry(origin, 'user.deleted', ['user', id])]).catch(refuseLastAdmin);
      });
      await durable();
      return { status: 204 };
    },
  };
}

/** @throws 409 `last_admin` when that is why nothing was written */
function refuseLastAdmin(error: unknown): never {
  if (!(error instanceof Conflict) || error.check[0] !== 'at least') throw error;
  throw httpError('last_admin', 'This is the last enabled admin');
}
