import { toInteger } from '../request-path.ts';

const PAGE_SIZE = 50;

/** Which rows of a list the address asks for. */
export function toPageQuery(address: URLSearchParams): { skip: number; limit: number } {
  return { skip: toInteger(address.get('skip')) ?? 0, limit: PAGE_SIZE };
}

/** All sessions of a user: there are at most 100. */
export function toSessionsQuery(address: URLSearchParams): { limit: number; user_id?: string } {
  const user_id = address.get('user_id');
  return { limit: 100, ...(user_id && { user_id }) };
}
