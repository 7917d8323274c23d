import type { components } from '@agent-fleet/sdk';

export type Session = components['schemas']['Session'];

/** How long a browser's session lasts at most. */
const LIFE_MS = 7 * 86_400_000;

/** Whether it is the one that ends at `expiresAt`, which is what is known of the session of this page. */
export function isThisSession({ kind, created_at }: Session, expiresAt: string | null | undefined): boolean {
  return kind === 'browser' && !!expiresAt && Date.parse(created_at) + LIFE_MS === Date.parse(expiresAt);
}

/** This session first, then the one that was used last. */
export function sortSessions(sessions: readonly Session[], expiresAt: string | null | undefined): Session[] {
  const rank = (one: Session) =>
    isThisSession(one, expiresAt) ? Number.POSITIVE_INFINITY : Date.parse(one.last_used_at);
  return sessions.toSorted((a, b) => (rank(b) > rank(a) ? 1 : -1));
}
