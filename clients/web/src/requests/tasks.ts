import { MAX_SEARCH, type RowsQuery, requestPath, rowsOf } from './path.ts';

/** What no index has: such a search is not counted, and a page of it may have few rows or none. */
const SEARCHES = ['q', 'error_code', 'model', 'created_by', 'min_duration_seconds'] as const;

/** Parameters of the address and of `GET /tasks`, the others also of the filter of a bulk action: the same names. */
export const FILTERS = [
  ...SEARCHES,
  'status',
  'type',
  'agent_id',
  'tag',
  'worker_id',
  'id',
  'created_after',
  'created_before',
] as const;

type FilterName = (typeof FILTERS)[number];
export type TaskFilter = Partial<Record<FilterName, string>>;

export function isSearch(filter: TaskFilter): boolean {
  return SEARCHES.some((name) => name in filter);
}

/** With more, the page would take over 2 s on a slow connection (measured). */
const DEFAULT_ROWS = 25;
const MAX_ROWS = 500;
/** All that a row shows. Inputs and results may have hundreds of kilobytes. */
const ROW_FIELDS =
  'agent_id,message,status,priority,scheduled_at,next_attempt_at,attempt,max_attempts,error,progress,tags,' +
  'cost,cancel_requested_at,started_at,completed_at,created_at,updated_at';

export interface TaskQuery extends TaskFilter, RowsQuery {
  order: 'asc' | 'desc';
  fields: string;
}

/** The query of `GET /tasks` for the address of the page. */
export function toTaskQuery(address: URLSearchParams): TaskQuery {
  return {
    ...toTaskFilter(address),
    order: address.get('order') === 'asc' ? 'asc' : 'desc',
    ...rowsOf(address, MAX_ROWS, DEFAULT_ROWS),
    fields: ROW_FIELDS,
  };
}

export function toTaskFilter(address: URLSearchParams): TaskFilter {
  const read = (name: FilterName) => address.get(name)?.slice(0, name === 'q' ? MAX_SEARCH : undefined);
  return Object.fromEntries(FILTERS.map((name) => [name, read(name)]).filter(([, value]) => value));
}

/** The newest agents: their names are in rows, filters and dialogs. Most fleets have no more. */
export const AGENTS_QUERY = { fields: 'name,type', order: 'desc', skip: 0, limit: 50 } as const;
/** Those that follow. */
export const OLDER_AGENTS_QUERY = { ...AGENTS_QUERY, skip: 50, limit: 950 } as const;

/** What the page requests first. */
export function tasksRequests(address: URLSearchParams): string[] {
  return [requestPath('/tasks', toTaskQuery(address)), '/stats', requestPath('/agents', AGENTS_QUERY)];
}

/** What the page requests first. */
export function taskRequests(_query: URLSearchParams, segments: readonly string[]): string[] {
  const [, agentId = '', , taskId = ''] = segments;
  const agent = `/agents/${agentId}`;
  const task = `${agent}/tasks/${taskId}`;
  return [task, `${task}/attempts`, agent];
}
