/** What the catalogue requests at first, exactly as its own code does, so that the shell can start it. */
export function catalogueRequests(_query: URLSearchParams): string[] {
  return [];
}

/** What the page of a skill requests at first. */
export function skillRequests(_id: string): string[] {
  return [];
}
