import { seriesRequest } from './series-window.ts';

export function overviewRequests(query: URLSearchParams): string[] {
  return ['/stats', seriesRequest(query)];
}
