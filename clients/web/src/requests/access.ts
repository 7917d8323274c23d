import { requestPath, toInteger } from './path.ts';

const PAGE_SIZE = 50;

/** Which rows of a list the address asks for. */
export function toPageQuery(address: URLSearchParams): { skip: number; limit: number } {
  return { skip: toInteger(address.get('skip')) ?? 0, limit: PAGE_SIZE };
}

/** All sessions of a user: there are at most 100. */
export function toSessionsQuery(address: URLSearchParams): { limit: number; user_id?: string } {
  const user_id = address.get('user_id');
  return { limit: 100, ...(user_id && { user_id }) };
}

const FILTERS = ['actor', 'action', 'target'] as const;

export type AuditFilter = Partial<Record<(typeof FILTERS)[number], string>>;

export interface AuditQuery extends AuditFilter {
  /** Only older events than the one with this id. */
  after?: string;
  order: 'desc';
  limit: number;
}

const LIMIT = 50;

export function toAuditFilter(address: URLSearchParams): AuditFilter {
  return Object.fromEntries(FILTERS.map((name) => [name, address.get(name)]).filter(([, value]) => value));
}

/** The query of `GET /audit-events` for the address of the page: the same names. */
export function toAuditQuery(address: URLSearchParams): AuditQuery {
  const after = address.get('after');
  return { ...toAuditFilter(address), ...(after && { after }), order: 'desc', limit: LIMIT };
}

/** What each part requests first. Who is no admin begins with the keys. */
export function accessRequests(address: URLSearchParams, [, named]: readonly string[], role: string): string[] {
  const part = named || (role === 'admin' ? 'users' : 'keys');
  if (part === 'users') return [requestPath('/users', toPageQuery(address))];
  if (part === 'keys') return [requestPath('/api-keys', toPageQuery(address))];
  if (part === 'sessions') return [requestPath('/sessions', toSessionsQuery(address))];
  if (part === 'audit' && role === 'admin') return [requestPath('/audit-events', toAuditQuery(address))];
  return part === 'account' ? ['/users/me'] : [];
}
