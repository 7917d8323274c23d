import type { SessionRecord, UserRecord } from '@agent-fleet/shared/identity/records';
import { type Origin, toEntry } from '../http/origin.ts';
import type { Write } from '../redis/commit.ts';
import { toActor } from '../sign-in/sign-in.ts';
import { SESSION_LIFE_MS, storedUntilMs } from './session-life.ts';
import type { SessionStore } from './session-store.ts';

type NewSession = Pick<SessionRecord, 'id' | 'kind' | 'scopes' | 'hash'>;

/** What a new session writes; the oldest sessions of a user that has too many end. */
export async function toOpenSession(
  sessions: SessionStore,
  session: NewSession,
  user: UserRecord,
  origin: Origin,
  nowMs: number,
): Promise<Required<Omit<Write, 'checks'>>> {
  const actor = toActor(user);
  const record = toRecord(session, user, origin, nowMs);
  const room = await sessions.toMakeRoom(user.id);
  const ended = room.changes.map((name) =>
    toEntry(origin, { actor, action: 'session.ended', target: { type: 'session', id: name.replace('session:', '') } }),
  );
  const target = { type: 'session', id: session.id };
  return {
    commands: [...room.commands, ...sessions.toStore(record, storedUntilMs(record, nowMs))],
    changes: room.changes,
    audit: [...ended, toEntry(origin, { actor, action: 'session.created', target })],
  };
}

function toRecord(
  { id, kind, scopes, hash }: NewSession,
  user: UserRecord,
  origin: Origin,
  nowMs: number,
): SessionRecord {
  const startMs = Math.floor(nowMs);
  const created_at = new Date(startMs).toISOString();
  return {
    id,
    kind,
    user_id: user.id,
    created_at,
    last_used_at: created_at,
    expires_at: new Date(startMs + SESSION_LIFE_MS[kind]).toISOString(),
    address: origin.address,
    user_agent: origin.userAgent,
    scopes,
    hash,
    previous: null,
  };
}
