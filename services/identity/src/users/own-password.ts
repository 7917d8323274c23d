import type { Input, Reply } from '@agent-fleet/shared/contract/operation';
import { httpError } from '@agent-fleet/shared/http/errors';
import { type Origin, originOf, toEntry } from '../http/origin.ts';
import { retryConflicts } from '../redis/commit.ts';
import type { IdentityContext } from '../redis/context.ts';
import type { StoredUser } from '../stores/user-store.ts';
import type { changeOwnPassword } from './password-contract.ts';
import { createSetPassword, requireGoodPassword } from './set-password.ts';
import { requireOwnUser, type UserParts } from './users.ts';

/** The change of one's own password. */
export function createChangeOwnPassword(
  context: IdentityContext,
  { users, sessions, resets, passwords, failures }: UserParts,
) {
  const { logger, commit, durable } = context;
  const setPassword = createSetPassword(context, { users, sessions });

  async function requireCurrentPassword({ record }: StoredUser, password: string, origin: Origin): Promise<void> {
    const { id, email, password_hash } = record;
    const { address, requestId } = origin;
    if (await failures.attempt(email, address, () => passwords.matches(password_hash, password))) return;
    logger.warn({ account: email, address, request_id: requestId }, 'wrong current password');
    await commit([], [toEntry(origin, 'user.password_changed', ['user', id], { outcome: 'failure' })]);
    throw httpError('forbidden', 'The current password is wrong');
  }

  return async ({ body, req }: Input<typeof changeOwnPassword>): Promise<Reply> => {
    const origin = originOf(req);
    const { record } = await requireOwnUser(users, req);
    requireGoodPassword('new_password', body.new_password, record.email);
    let checked: string | null | undefined;
    let hash: string | undefined;
    const set = () =>
      retryConflicts(async () => {
        const before = await requireOwnUser(users, req);
        const { id, password_hash } = before.record;
        // Again if another password was set meanwhile.
        if (password_hash !== checked) await requireCurrentPassword(before, body.current_password, origin);
        checked = password_hash;
        hash ??= await passwords.hash(body.new_password);
        const keptSession = origin.caller?.sessionId ?? null;
        const code = await resets.toVoid(id);
        await setPassword(before, { hash, keptSession, code, origin, action: 'user.password_changed' });
      });
    await failures.inTurn(record.email, origin.address, set);
    await durable();
    return { status: 204 };
  };
}
