import { ifMatch, isMatch, preconditionFailed } from '@agent-fleet/shared/contract/conditions';
import type { Input, Reply } from '@agent-fleet/shared/contract/operation';
import { httpError } from '@agent-fleet/shared/http/errors';
import { originOf, toEntry } from '../http/origin.ts';
import { type Check, retryConflicts } from '../redis/commit.ts';
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
    return { checks: code.checks, commands: [...code.commands, ...ended.commands], changes: ended.changes };
  }

  return {
    async replace(input: Input<typeof replaceUser>): Promise<Reply> {
      const { role, disabled } = input.body;
      const origin = originOf(input.req);
      const user = await retryConflicts(async () => {
        const before = await requireCurrent(input);
        const { record } = before;
        if (record.role === role && record.disabled === disabled) return record;
        const ended = disabled ? await toEndAccess(record.id) : { checks: [], commands: [], changes: [] };
        const after = { ...record, role, disabled, ...(disabled && { kept_session: null }) };
        const stored = users.toReplace(before, after, disabled);
        const failed = await commit({
          checks: [...stored.checks, ...ended.checks],
          commands: [...stored.commands, ...ended.commands],
          changes: [...stored.changes, ...ended.changes],
          audit: [toEntry(origin, { action: 'user.changed', target: { type: 'user', id: record.id } })],
        });
        return failed ? toConflict(failed) : after;
      });
      await durable();
      return toReply(user);
    },

    async delete(input: Input<typeof deleteUser>): Promise<Reply> {
      const origin = originOf(input.req);
      await retryConflicts(async () => {
        const before = await requireCurrent(input);
        const { id } = before.record;
        const removed = users.toDelete(before);
        const [ended, owned] = await Promise.all([toEndAccess(id), apiKeys.toDeleteOwned(id)]);
        const failed = await commit({
          checks: [...removed.checks, ...ended.checks, ...owned.checks],
          commands: [...removed.commands, ...ended.commands, ...owned.commands, ['DEL', keys.userSessions(id)]],
          changes: [...removed.changes, ...ended.changes, ...owned.changes],
          audit: [toEntry(origin, { action: 'user.deleted', target: { type: 'user', id } })],
        });
        return failed ? toConflict(failed) : undefined;
      });
      await durable();
      return { status: 204 };
    },
  };
}

/** @throws 409 `last_admin` when that is why nothing was written */
function toConflict([kind]: Check): 'conflict' {
  if (kind === 'at least') throw httpError('last_admin', 'This is the last enabled admin');
  return 'conflict';
}
