const DEFAULT_ROWS = 25;
const MAX_ROWS = 100;
const FIELDS = 'name,type,status,created_at,paused_at';

/** The query of `GET /agents` for the address of the page: the same names. */
export interface AgentsQuery {
  status?: string;
  type?: string;
  paused?: boolean;
  order: 'asc' | 'desc';
  skip: number;
  limit: number;
  fields: string;
}

export function toAgentsQuery(address: URLSearchParams): AgentsQuery {
  const status = address.get('status');
  const type = address.get('type');
  const paused = address.get('paused');
  return {
    ...(status && { status }),
    ...(type && { type }),
    ...((paused === 'true' || paused === 'false') && { paused: paused === 'true' }),
    order: address.get('order') === 'asc' ? 'asc' : 'desc',
    skip: toInteger(address.get('skip'), 0, Number.MAX_SAFE_INTEGER) ?? 0,
    limit: toInteger(address.get('limit'), 1, MAX_ROWS) ?? DEFAULT_ROWS,
    fields: FIELDS,
  };
}

export function agentsRequests(address: URLSearchParams): string[] {
  const query = Object.entries(toAgentsQuery(address)).map(([name, value]) => [name, String(value)]);
  return [`/agents?${new URLSearchParams(query)}`, '/stats'];
}

function toInteger(text: string | null, min: number, max: number): number | undefined {
  if (!text || !/^\d{1,15}$/.test(text)) return undefined;
  return Math.min(Math.max(Number(text), min), max);
}
