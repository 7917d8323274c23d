import type { SessionRecord, UserRecord } from '@agent-fleet/shared/identity/records';

const DAY_MS = 86_400_000;
/** A family of refresh tokens ends after this time without a refresh. */
const REFRESH_IDLE_MS = 7 * DAY_MS;

/** From the start to the end in any case. */
export const SESSION_LIFE_MS = { refresh: 30 * DAY_MS, browser: 7 * DAY_MS } as const;

/** When Redis drops a session that is used now. A browser's session also ends with its `used` key. */
export function storedUntilMs({ kind, expires_at }: SessionRecord, nowMs: number): number {
  const endMs = Date.parse(expires_at);
  return kind === 'refresh' ? Math.min(nowMs + REFRESH_IDLE_MS, endMs) : endMs;
}

/** Whether the user, as it is now, leaves a session valid. */
export function isAllowed({ id, created_at }: SessionRecord, user: UserRecord | undefined): user is UserRecord {
  if (!user || user.disabled) return false;
  return id === user.kept_session || Date.parse(created_at) >= user.tokens_valid_after;
}
