import type { Role, Scope } from '@agent-fleet/shared/contract/scopes';

/** A user as stored, in JSON. Times are RFC 3339 unless their name says otherwise. */
export interface UserRecord {
  /** A UUIDv7. */
  id: string;
  /** As `normaliseEmail` returns it; the `sub` of the user's tokens. */
  email: string;
  role: Role;
  disabled: boolean;
  created_at: string;
  last_sign_in_at: string | null;
  /** argon2id in PHC form; null until a reset code was used. */
  password_hash: string | null;
  /** Tokens made before this time in ms since the epoch, and sessions, are no longer valid. */
  tokens_valid_after: number;
  /** The session, or the id of the token, that stays valid nevertheless: the one that changed the password. */
  kept_session: string | null;
}

/** An API key as stored, in JSON. */
export interface ApiKeyRecord {
  /** A UUIDv7. */
  id: string;
  name: string;
  scopes: Scope[];
  /** The only agents that the key may see; null: all. */
  agent_ids: string[] | null;
  /** The user whose role bounds the scopes; null when another kind of principal made the key. */
  owner_id: string | null;
  /** The e-mail address of that user, else the principal that made the key. */
  owner: string;
  /** The keys that made this one, each by the one before: without one of them, it is not valid. */
  parents: string[];
  created_at: string;
  expires_at: string;
  rate_limit_per_minute: number | null;
  /** SHA-256 of the key, in hex. */
  hash: string;
  /** Keys that a rotation replaced and that are still valid. */
  previous: { hash: string; until: string }[];
}

/** A refresh token's family or a browser's session as stored, in JSON. */
export interface SessionRecord {
  /** A UUIDv7; the `sid` of its access tokens. */
  id: string;
  kind: 'refresh' | 'browser';
  user_id: string;
  created_at: string;
  /** Gateways report later uses in `used` (keys.ts). */
  last_used_at: string;
  /** The end in any case. */
  expires_at: string;
  address: string;
  user_agent: string;
  /** Null: those of the role. */
  scopes: Scope[] | null;
  /** SHA-256 of the current refresh token or cookie, in hex. */
  hash: string;
  /** SHA-256 of the refresh token before, and when it was replaced, in ms since the epoch. */
  previous: { hash: string; at: number } | null;
}

/** A browser session ends after this time without a request. */
export const BROWSER_IDLE_MS = 12 * 3_600_000;

/** RFC 5321 section 4.5.3.1.3, without the angle brackets. */
const MAX_EMAIL = 254;
const EMAIL = /^[^\s@\p{Cc}]+@[^\s@\p{Cc}]+$/u;

/** The normalised form that identifies a user; undefined unless it is an e-mail address. */
export function normaliseEmail(text: string): string | undefined {
  if (text.length > MAX_EMAIL) return undefined;
  const email = text.trim().normalize('NFC').toLowerCase();
  return EMAIL.test(email) && email.isWellFormed() ? email : undefined;
}
