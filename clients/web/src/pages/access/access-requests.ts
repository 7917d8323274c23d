import { toAuditQuery } from './audit/audit-query.ts';
import { toPageQuery, toSessionsQuery } from './page-query.ts';

/** What each part requests first. Who is no admin begins with the keys. */
export function accessRequests(address: URLSearchParams, [, named]: readonly string[], role: string): string[] {
  const part = named || (role === 'admin' ? 'users' : 'keys');
  if (part === 'users') return [toPath('/users', toPageQuery(address))];
  if (part === 'keys') return [toPath('/api-keys', toPageQuery(address))];
  if (part === 'sessions') return [toPath('/sessions', toSessionsQuery(address))];
  if (part === 'audit' && role === 'admin') return [toPath('/audit-events', toAuditQuery(address))];
  return part === 'account' ? ['/users/me'] : [];
}

function toPath(path: string, query: object): string {
  return `${path}?${new URLSearchParams(Object.entries(query).map(([name, value]) => [name, String(value)]))}`;
}
