import type { UserRecord } from '@agent-fleet/shared/identity/records';
import { timeOfId } from '../ids.ts';

/**
 * A user who has not signed in yet. The id has the time of creation: tokens of an earlier user with the same address
 * are not valid.
 */
export function newUser(user: Pick<UserRecord, 'id' | 'email' | 'role' | 'password_hash'>): UserRecord {
  const createdAt = timeOfId(user.id);
  return {
    ...user,
    disabled: false,
    created_at: createdAt.toISOString(),
    last_sign_in_at: null,
    tokens_valid_after: createdAt.getTime(),
    kept_session: null,
  };
}

/**
 * Ends all tokens made before `nowMs`, except those of a session. The next whole millisecond: two sign-ins in one leave
 * the same record, so that its check does not notice the second.
 */
export function endOfTokens(nowMs: number, keptSession: string | null = null) {
  return { tokens_valid_after: Math.floor(nowMs) + 1, kept_session: keptSession };
}
