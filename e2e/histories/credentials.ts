import { ROLES, type Role } from '@agent-fleet/shared/contract/scopes';
import type { Credential } from '../harness/http-client.ts';

type State = 'good' | 'changing' | 'ended';

/** A state with the time of its last change; `version` tells whether it changed during a request. */
export class Valid {
  state: State = 'good';
  version = 0;
  sinceMs: number;

  /** Good at once. */
  constructor() {
    this.sinceMs = Number.NEGATIVE_INFINITY;
  }

  set(state: State, atMs = performance.now()): void {
    this.state = state;
    this.version++;
    this.sinceMs = atMs;
  }
}

export interface ModelUser {
  id: string;
  email: string;
  password: string;
  role: Role;
  /** Whether the role is what a gateway should know. */
  roleIs: Valid;
  isDisabled: boolean;
  /** How many sessions it may have at most: the oldest of a hundred would end. */
  sessions: number;
}

/** A refresh token with those before it, oldest first, and when each was replaced: between the two times. */
export interface Family {
  user: ModelUser;
  current: string;
  before: { token: string; successor: string; fromMs: number; toMs: number }[];
  hasEnded: boolean;
}

/** A credential of a history with what it must be. */
export interface Held {
  kind: 'token' | 'cookie' | 'key';
  as: Credential;
  valid: Valid;
  /** Undefined for a key that belongs to no user. */
  user?: ModelUser;
  family?: Family;
  /** Of keys. */
  keyId?: string;
  /** Ended for good: a key that was not only suspended with its user. */
  isGone?: true;
  /** Of a key, or that of the user when a token was made: it bounds the scopes. */
  role?: Role;
}

/** Whether a credential may create agents. */
export function mayWrite({ user, role }: Held): boolean {
  const roles = [user?.role, role].filter((one) => one !== undefined);
  return roles.every((one) => (ROLES[one] as readonly string[]).includes('agents:write'));
}
