/** What each scope allows. A principal may do what its scopes allow, and nothing else. */
export const SCOPES = {
  'agents:read': 'List and read agents.',
  'agents:write': 'Create, replace, pause and delete agents.',
  'tasks:read': 'List, search and read tasks, their log entries, leases, workers and statistics.',
  'tasks:write': 'Create, replace, cancel, retry and delete tasks, one by one or in bulk.',
  'tasks:answer': 'Answer what tasks ask.',
  'leases:write': 'Lease tasks, send heartbeats and log entries, report results.',
  'events:read': 'List and stream events.',
  'budgets:admin': 'Read and set budgets.',
  'registry:admin': 'Change the settings of the registry.',
  'audit:read': 'Read and export the audit trail.',
  'users:admin': 'Manage users, and the keys and sessions of others.',
} as const;

export type Scope = keyof typeof SCOPES;

export const SCOPE_NAMES = Object.keys(SCOPES) as Scope[];

const READS: readonly Scope[] = ['agents:read', 'tasks:read', 'events:read'];

/** The scopes of each role, the lowest role first. */
export const ROLES = {
  viewer: READS,
  worker: ['agents:read', 'tasks:read', 'leases:write'],
  approver: [...READS, 'tasks:answer'],
  operator: [...READS, 'agents:write', 'tasks:write', 'tasks:answer'],
  admin: SCOPE_NAMES,
} as const satisfies Record<string, readonly Scope[]>;

export type Role = keyof typeof ROLES;

export const ROLE_NAMES = Object.keys(ROLES) as Role[];

/** The scopes of a role. */
export function scopesOf(role: Role): readonly Scope[] {
  return ROLES[role];
}

export function isScope(text: string): text is Scope {
  return Object.hasOwn(SCOPES, text);
}

export function isRole(text: string): text is Role {
  return Object.hasOwn(ROLES, text);
}

/** Those of `scopes` that `limits` have too, in the order of `SCOPES`. */
export function narrow(scopes: readonly Scope[], limits: readonly Scope[]): Scope[] {
  return SCOPE_NAMES.filter((scope) => scopes.includes(scope) && limits.includes(scope));
}
