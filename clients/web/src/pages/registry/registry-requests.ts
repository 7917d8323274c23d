import { requestPath } from '../request-path.ts';

/** The skills that were updated last. */
export const RECENT_QUERY = { sort: 'updated', fields: 'name,author,updated_at', limit: 8 } as const;

/** What the page requests first. */
export function registryRequests(): string[] {
  return ['/api/registry/status', requestPath('/api/skills', RECENT_QUERY)];
}
