import type { components } from '@agent-fleet/sdk';
import type { Scope } from '../../../api/session.ts';
import { capital, FLEET_SCOPES, ROLE_SCOPES } from './api-key.ts';
import { type Lifetime, toExpiry } from './expiry.ts';

export const CHOSEN_SCOPES = 'scopes';

/** What the form of a new key holds. */
export interface KeyDraft {
  name: string;
  /** A role, or `CHOSEN_SCOPES`. */
  access: string;
  scopes: readonly Scope[];
  /** Undefined: all agents. */
  agentIds: readonly string[] | undefined;
  lifetime: Lifetime;
  /** The last day, as the field has it. */
  day: string;
  /** Empty: that of the installation. */
  rateLimit: string;
}

type KeyInput = components['schemas']['ApiKeyInput'];

/** The scopes that can be given: those of the user, and fewer for a key that is limited to agents. */
export function givableScopes(own: readonly Scope[], isLimited: boolean): Scope[] {
  return own.filter((scope) => !isLimited || !FLEET_SCOPES.includes(scope));
}

/** The roles whose scopes can all be given, and the choice of scopes. */
export function accessOptions(givable: readonly Scope[]): { value: string; label: string }[] {
  const roles = Object.entries(ROLE_SCOPES).filter(([, scopes]) => scopes.every((scope) => givable.includes(scope)));
  return [
    ...roles.map(([role]) => ({ value: role, label: capital(role) })),
    { value: CHOSEN_SCOPES, label: 'Scopes that I choose' },
  ];
}

/** @throws Error in words for what the form cannot check by itself */
export function toKeyInput({ name, access, scopes, ...draft }: KeyDraft, now: number): KeyInput {
  const isChosen = access === CHOSEN_SCOPES;
  if (isChosen && scopes.length === 0) throw new Error('Choose at least one scope.');
  if (draft.agentIds?.length === 0) throw new Error('Choose at least one agent.');
  return {
    name: name.trim(),
    ...(isChosen ? { scopes: [...scopes] } : { role: access as KeyInput['role'] }),
    ...(draft.agentIds && { agent_ids: [...draft.agentIds] }),
    expires_at: toExpiry(draft.lifetime, draft.day, now),
    ...(draft.rateLimit && { rate_limit_per_minute: Number(draft.rateLimit) }),
  };
}
