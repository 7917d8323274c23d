import type { AuditEntry } from '@agent-fleet/access/audit';
import { createId } from '@agent-fleet/shared/ids';
import type { FirstUser } from '../config.ts';
import { findPasswordProblem } from '../passwords/password-rules.ts';
import type { Passwords } from '../passwords/passwords.ts';
import { Conflict } from '../redis/commit.ts';
import { type IdentityContext, redisTime } from '../redis/context.ts';
import { newUser, type UserStore } from '../stores/user-store.ts';

/** The user of `ADMIN_EMAIL` and `ADMIN_PASSWORD`, an admin. The password may break the rules for passwords. */
export function createFirstUser(
  { redis, logger, commit }: IdentityContext,
  { firstUser, users, passwords }: { firstUser: FirstUser; users: UserStore; passwords: Passwords },
) {
  const { email, password } = firstUser;
  const problem = findPasswordProblem(password, email);
  if (problem !== undefined) logger.warn({ problem }, 'ADMIN_PASSWORD breaks a rule for passwords; used as it is');
  let password_hash: string | undefined;
  let isOurs = false;

  return {
    /** Creates the user unless it exists, whoever created it; also when an admin has deleted it before. */
    async addIfAbsent(): Promise<void> {
      if (await users.findByEmail(email)) return;
      // Once, however often Redis fails afterwards.
      password_hash ??= await passwords.hash(password);
      const id = createId(await redisTime(redis));
      const user = newUser({ id, email, role: 'admin', password_hash });
      try {
        await commit([users.toAdd(user)], [toCreatedEntry(id)]);
      } catch (error) {
        // Another replica was faster.
        if (error instanceof Conflict) return;
        throw error;
      }
      isOurs = true;
      logger.info({ user: email }, 'first user created');
    },

    /** Warns when the password of the user is another one. */
    async checkPassword(): Promise<void> {
      const user = isOurs ? undefined : await users.findByEmail(email).catch(() => undefined);
      if (!user || (await passwords.matches(user.record.password_hash, password).catch(() => true))) return;
      logger.warn(
        { user: email },
        'ADMIN_PASSWORD is not the password of this user, which stays as it is: change it by PUT /users/me/password, ' +
          'or by a reset code from another admin or a key of API_KEYS',
      );
    },
  };
}

/** By nobody: the service does it at its start. */
function toCreatedEntry(userId: string): AuditEntry {
  return {
    actor: { type: 'anonymous', id: null, name: null },
    action: 'user.created',
    target: { type: 'user', id: userId },
    outcome: 'success',
    address: null,
    request_id: null,
  };
}
