/** A path with its query, as the SDK requests it. */
export function requestPath(path: string, query: object): string {
  return `${path}?${new URLSearchParams(Object.entries(query).map(([name, value]) => [name, String(value)]))}`;
}

/** Characters of `q`. */
export const MAX_SEARCH = 200;

export interface RowsQuery {
  skip?: number;
  /** In the place of `skip`: what follows the row with this id. */
  after?: string;
  limit: number;
}

/** Which rows the address asks for. */
export function rowsOf(address: URLSearchParams, maxRows: number, defaultRows: number): RowsQuery {
  const limit = Math.min(Math.max(toInteger(address.get('limit')) ?? defaultRows, 1), maxRows);
  const after = address.get('after');
  return after ? { after, limit } : { skip: toInteger(address.get('skip')) ?? 0, limit };
}

export function toInteger(text: string | null): number | undefined {
  return text && /^\d{1,9}$/.test(text) ? Number(text) : undefined;
}
