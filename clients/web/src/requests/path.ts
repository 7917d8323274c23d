/** A path with its query, as the SDK requests it. */
export function requestPath(path: string, query: object): string {
  return `${path}?${new URLSearchParams(Object.entries(query).map(([name, value]) => [name, String(value)]))}`;
}

/** Which rows the address asks for. */
export function rowsOf(address: URLSearchParams, maxRows: number, defaultRows: number) {
  const limit = toInteger(address.get('limit')) ?? defaultRows;
  return { skip: toInteger(address.get('skip')) ?? 0, limit: Math.min(Math.max(limit, 1), maxRows) };
}

export function toInteger(text: string | null): number | undefined {
  return text && /^\d{1,9}$/.test(text) ? Number(text) : undefined;
}
