/** From the query of the address and the segments of its path after `/console`. */
type FirstRequests = (query: URLSearchParams, segments: readonly string[]) => string[];

/**
 * What each page of the console requests at first, exactly as its own code does, so that the shell can start it. Only
 * what the page cannot be shown without.
 */
export const FIRST_REQUESTS: Record<string, FirstRequests> = {};
