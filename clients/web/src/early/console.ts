import { SIGNED_IN_ITEM, startRequests } from '../api/early-responses.ts';
import { PREFIX } from '../api/prefix.ts';
import { FIRST_REQUESTS } from '../requests/first-requests.ts';

/** Inline in the shell of the console. In a browser that has not signed in, a page has nothing to request. */
const role = localStorage.getItem(SIGNED_IN_ITEM);
startRequests(['/session?optional=true', ...(role === null ? [] : pageRequests(role))]);

function pageRequests(role: string): string[] {
  const segments = location.pathname.slice(PREFIX.length).split('/').slice(2);
  const [first = '', id, part] = segments;
  const name = first === 'agents' && id ? (part === 'tasks' ? 'task' : 'agent') : first;
  return FIRST_REQUESTS[name]?.(new URLSearchParams(location.search), segments, role) ?? [];
}
