import { type components, ROLES } from '@agent-fleet/sdk';
import type { Scope } from '../../api/session.ts';
import { capital } from '../../text/pieces.ts';

export type ApiKey = components['schemas']['ApiKey'];
export type NewApiKey = components['schemas']['CreatedApiKey'];

/** They reach beyond single agents: a key that is limited to agents cannot have them. */
const FLEET_SCOPES: readonly Scope[] = ['budgets:admin', 'registry:admin', 'audit:read', 'users:admin'];

/** The scopes that a role stands for when a key is made. */
export const ROLE_SCOPES: Record<string, readonly Scope[]> = ROLES;

/** The role with exactly these scopes, or their number. */
export function accessLabel(scopes: readonly Scope[]): string {
  const role = Object.entries(ROLE_SCOPES).find(
    ([, all]) => all.length === scopes.length && all.every((scope) => scopes.includes(scope)),
  );
  if (role) return capital(role[0]);
  if (scopes.length === 0) return 'Nothing';
  return scopes.length === 1 ? (scopes[0] as string) : `${scopes.length} scopes`;
}

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

const DAY_MS = 86_400_000;
/** Enough time to rotate a key, or to make another one. */
const SOON_MS = 14 * DAY_MS;
const MAX_DAYS = 366;

type ExpiryState = 'never' | 'expired' | 'soon' | 'later';

export function expiryState(expiresAt: string | null, now: number): ExpiryState {
  if (expiresAt === null) return 'never';
  const leftMs = Date.parse(expiresAt) - now;
  if (leftMs <= 0) return 'expired';
  return leftMs <= SOON_MS ? 'soon' : 'later';
}

/** How long a new key may be valid, in days. */
export const LIFETIMES = [
  { value: '7', label: 'In 7 days' },
  { value: '30', label: 'In 30 days' },
  { value: '90', label: 'In 90 days' },
  { value: '180', label: 'In 180 days' },
  { value: String(MAX_DAYS), label: 'In 366 days, the longest' },
  { value: 'date', label: 'On a day that I choose' },
] as const;

export type Lifetime = (typeof LIFETIMES)[number]['value'];

/** The end of a key: `day` as in `2026-12-31`, which is its last one, in the zone of the reader. */
export function toExpiry(lifetime: string, day: string, now: number): string {
  if (lifetime !== 'date') return new Date(now + Number(lifetime) * DAY_MS).toISOString();
  const end = new Date(`${day}T23:59:59`);
  if (Number.isNaN(end.getTime())) throw new Error('Choose the last day of the key.');
  if (end.getTime() <= now) throw new Error('The last day of the key is in the past.');
  if (end.getTime() > now + MAX_DAYS * DAY_MS) throw new Error('A key is valid for at most 366 days.');
  return end.toISOString();
}

/** The most agents that a key may be limited to. */
export const MAX_CHOSEN = 100;
