import { SIGNED_IN_ITEM } from './api/signed-in-item.ts';
import { FIRST_REQUESTS } from './pages/first-requests.ts';
import { catalogueRequests, skillRequests } from './skills/first-requests.ts';

/**
 * The paths that a page requests first. Those of the console need a session, so they are left to its script in a
 * browser that has not signed in.
 */
export function firstRequests(
  { pathname, search }: Pick<Location, 'pathname' | 'search'>,
  storage: Pick<Storage, 'getItem'>,
): string[] {
  const query = new URLSearchParams(search);
  const [first, ...rest] = pathname.split('/').slice(1);
  if (first === 'skills') return skillRequests(rest[0] ?? '');
  if (first !== 'console') return catalogueRequests(query);
  const session = '/session?optional=true';
  const role = storage.getItem(SIGNED_IN_ITEM);
  return role === null ? [session] : [session, ...consoleRequests(rest, query, role)];
}

function consoleRequests(segments: readonly string[], query: URLSearchParams, role: string): string[] {
  const [first = '', id, part] = segments;
  const name = first === 'agents' && id ? (part === 'tasks' ? 'task' : 'agent') : first;
  return FIRST_REQUESTS[name]?.(query, segments, role) ?? [];
}
