/** The skills that were updated last. */
export const RECENT_QUERY = { sort: 'updated', fields: 'name,author,updated_at', limit: 8 } as const;

/** What the page requests first. */
export function registryRequests(): string[] {
  const { limit, ...query } = RECENT_QUERY;
  return ['/api/registry/status', `/api/skills?${new URLSearchParams({ ...query, limit: String(limit) })}`];
}
