import { listQuery } from './search/list-query.ts';

/** What the catalogue requests at first, exactly as its own code does, so that the shell can start it. */
export function catalogueRequests(query: URLSearchParams): string[] {
  return [`/api/skills?${new URLSearchParams(listQuery(query))}`];
}

/** What the page of a skill requests at first. `id` is a segment of the address, so it is encoded. */
export function skillRequests(id: string): string[] {
  return id ? [`/api/skills/${id}`, `/api/skills/${id}/skill.md`] : [];
}
