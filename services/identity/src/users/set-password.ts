import { validationError } from '@agent-fleet/shared/http/errors';
import { type Origin, toEntry } from '../http/origin.ts';
import { findPasswordProblem } from '../passwords/password-rules.ts';
import type { IdentityContext } from '../redis/context.ts';
import type { SessionStore } from '../stores/session-store.ts';
import type { StoredUser, UserStore } from '../stores/user-store.ts';
import type { ResetPart } from './reset-store.ts';

/** A new password, and what is written with it. */
interface NewPassword {
  hash: string;
  /** The session that does not end. */
  keptSession?: string | null;
  code: ResetPart;
  origin: Origin;
  action: string;
}

/** The result sets a password and ends all sessions and tokens; false when the user or the code has changed. */
export function createSetPassword(context: IdentityContext, users: UserStore, sessions: SessionStore) {
  return async (before: StoredUser, { hash, keptSession = null, code, origin, action }: NewPassword) => {
    const { id } = before.record;
    const ended = await sessions.toEndAll(id, keptSession);
    const after = { ...before.record, password_hash: hash, kept_session: keptSession };
    const stored = users.toReplace(before, after, true);
    const failed = await context.commit({
      checks: [...stored.checks, ...code.checks],
      commands: [...stored.commands, ...code.commands, ...ended.commands],
      changes: [...stored.changes, ...ended.changes],
      audit: [toEntry(origin, { action, target: { type: 'user', id } })],
    });
    return failed === undefined;
  };
}

/** @throws 400 `validation_error` for a password that breaks a rule */
export function requireGoodPassword(field: string, password: string, email: string): void {
  const problem = findPasswordProblem(password, email);
  if (problem !== undefined) throw validationError([{ path: field, code: 'invalid_value', message: problem }]);
}
