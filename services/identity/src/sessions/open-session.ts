import type { AuditEntry } from '@agent-fleet/access/audit';
import type { SessionRecord, UserRecord } from '@agent-fleet/access/records';
import { type Origin, toActor, toEntry } from '../http/origin.ts';
import type { WritePart } from '../redis/commit.ts';
import type { SessionStore } from '../stores/session-store.ts';

const DAY_MS = 86_400_000;
/** From the start to the end in any case. */
const LIFE_MS = { refresh: 30 * DAY_MS, browser: 7 * DAY_MS } as const;

type NewSession = Pick<SessionRecord, 'id' | 'kind' | 'scopes' | 'hash'>;

/** What a new session writes; the oldest sessions of a user that has too many end. */
export async function toOpenSession(
  sessions: SessionStore,
  session: NewSession,
  { user, origin, nowMs }: { user: UserRecord; origin: Origin; nowMs: number },
): Promise<{ parts: WritePart[]; audit: AuditEntry[] }> {
  const actor = toActor(user);
  const startMs = Math.floor(nowMs);
  const created_at = new Date(startMs).toISOString();
  const record: SessionRecord = {
    ...session,
    user_id: user.id,
    created_at,
    last_used_at: created_at,
    expires_at: new Date(startMs + LIFE_MS[session.kind]).toISOString(),
    address: origin.address,
    user_agent: origin.userAgent,
    previous: null,
  };
  const { parts, endedIds } = await sessions.toMakeRoom(user.id);
  const ended = endedIds.map((id) => toEntry(origin, 'session.ended', ['session', id], { actor }));
  return {
    parts: [...parts, sessions.toStore(record, nowMs)],
    audit: [...ended, toEntry(origin, 'session.created', ['session', session.id], { actor })],
  };
}
