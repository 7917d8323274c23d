import { validationError } from '@agent-fleet/shared/http/errors';
import { type Origin, toEntry } from '../http/origin.ts';
import { findPasswordProblem } from '../passwords/password-rules.ts';
import type { WritePart } from '../redis/commit.ts';
import type { IdentityContext } from '../redis/context.ts';
import type { SessionStore } from '../stores/session-store.ts';
import type { StoredUser, UserStore } from '../stores/user-store.ts';

/** A new password, and what is written with it. */
interface NewPassword {
  hash: string;
  /** The session that does not end. */
  keptSession?: string | null;
  /** What becomes of the user's reset code. */
  code: WritePart;
  origin: Origin;
  action: string;
}

/** The result sets a password and ends all sessions and tokens. @throws Conflict when user or code have changed */
export function createSetPassword(
  { commit }: Pick<IdentityContext, 'commit'>,
  { users, sessions }: { users: UserStore; sessions: SessionStore },
) {
  return async (before: StoredUser, { hash, keptSession = null, code, origin, action }: NewPassword) => {
    const { id } = before.record;
    const ended = await sessions.toEndAll(id, keptSession);
    const after = { ...before.record, password_hash: hash, kept_session: keptSession };
    await commit([users.toReplace(before, after, true), code, ...ended], [toEntry(origin, action, ['user', id])]);
  };
}

/** @throws 400 `validation_error` for a password that breaks a rule */
export function requireGoodPassword(field: string, password: string, email: string): void {
  const problem = findPasswordProblem(password, email);
  if (problem !== undefined) throw validationError([{ path: field, code: 'invalid_value', message: problem }]);
}
