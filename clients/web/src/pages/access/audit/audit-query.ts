const FILTERS = ['actor', 'action', 'target'] as const;

export type AuditFilter = Partial<Record<(typeof FILTERS)[number], string>>;

export interface AuditQuery extends AuditFilter {
  /** Only older events than the one with this id. */
  after?: string;
  order: 'desc';
  limit: number;
}

const LIMIT = 50;

export function toAuditFilter(address: URLSearchParams): AuditFilter {
  return Object.fromEntries(FILTERS.map((name) => [name, address.get(name)]).filter(([, value]) => value));
}

/** The query of `GET /audit-events` for the address of the page: the same names. */
export function toAuditQuery(address: URLSearchParams): AuditQuery {
  const after = address.get('after');
  return { ...toAuditFilter(address), ...(after && { after }), order: 'desc', limit: LIMIT };
}
