import type { components } from '@agent-fleet/sdk';
import type { Scope } from '../../../api/session.ts';

export type ApiKey = components['schemas']['ApiKey'];
export type NewApiKey = components['schemas']['NewApiKey'];

/** What each scope allows. */
export const SCOPE_MEANINGS: Record<Scope, string> = {
  'agents:read': 'See agents',
  'tasks:read': 'See tasks, their logs, and workers',
  'events:read': 'See events',
  'leases:write': 'Take tasks and report results',
  'agents:write': 'Create, change, pause and delete agents',
  'tasks:write': 'Create, change, cancel, retry and delete tasks',
  'registry:admin': 'Change settings of the registry',
  'audit:read': 'Read the audit trail',
  'users:admin': 'Manage users, and the keys and sessions of others',
};

export const SCOPES = Object.keys(SCOPE_MEANINGS) as Scope[];

/** They reach beyond single agents: a key that is limited to agents cannot have them. */
export const FLEET_SCOPES: readonly Scope[] = ['registry:admin', 'audit:read', 'users:admin'];

const READS: readonly Scope[] = ['agents:read', 'tasks:read', 'events:read'];

/** The scopes that a role stands for when a key is made. */
export const ROLE_SCOPES: Record<string, readonly Scope[]> = {
  viewer: READS,
  worker: ['agents:read', 'tasks:read', 'leases:write'],
  operator: [...READS, 'agents:write', 'tasks:write'],
  admin: SCOPES,
};

/** The role with exactly these scopes, or their number. */
export function accessLabel(scopes: readonly Scope[]): string {
  const role = Object.entries(ROLE_SCOPES).find(
    ([, all]) => all.length === scopes.length && all.every((scope) => scopes.includes(scope)),
  );
  if (role) return capital(role[0]);
  if (scopes.length === 0) return 'Nothing';
  return scopes.length === 1 ? (scopes[0] as string) : `${scopes.length} scopes`;
}

export function capital(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}`;
}
