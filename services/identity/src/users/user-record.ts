import type { UserRecord } from '@agent-fleet/shared/identity/records';
import { timeOfId } from '../ids.ts';
import type { TimedText } from '../redis/commit.ts';

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
 * The text of a user whose tokens end that were made before it is written, except those of the kept session. The next
 * whole millisecond: two sign-ins in one leave the same record, so that its check does not notice the second.
 */
export function toTextThatEndsTokens({ tokens_valid_after: _, ...user }: UserRecord): TimedText {
  return [`${JSON.stringify(user).slice(0, -1)},"tokens_valid_after":`, '}'];
}
