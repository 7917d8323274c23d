import { requestPath } from '../request-path.ts';
import { toAuditQuery } from './audit/audit-query.ts';
import { toPageQuery, toSessionsQuery } from './page-query.ts';

/** What each part requests first. Who is no admin begins with the keys. */
export function accessRequests(address: URLSearchParams, [, named]: readonly string[], role: string): string[] {
  const part = named || (role === 'admin' ? 'users' : 'keys');
  if (part === 'users') return [requestPath('/users', toPageQuery(address))];
  if (part === 'keys') return [requestPath('/api-keys', toPageQuery(address))];
  if (part === 'sessions') return [requestPath('/sessions', toSessionsQuery(address))];
  if (part === 'audit' && role === 'admin') return [requestPath('/audit-events', toAuditQuery(address))];
  return part === 'account' ? ['/users/me'] : [];
}
