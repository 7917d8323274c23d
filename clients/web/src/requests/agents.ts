import { MAX_SEARCH, type RowsQuery, requestPath, rowsOf, toInteger } from './path.ts';
import { seriesRequest } from './series.ts';
import { type TaskQuery, tasksRequests, toTaskQuery } from './tasks.ts';

const DEFAULT_ROWS = 25;
const MAX_ROWS = 100;
const FIELDS = 'name,type,status,created_at,paused_at';

/** The query of `GET /agents` for the address of the page: the same names. */
export interface AgentsQuery extends RowsQuery {
  q?: string;
  status?: string;
  type?: string;
  paused?: boolean;
  order: 'asc' | 'desc';
  fields: string;
}

export function toAgentsQuery(address: URLSearchParams): AgentsQuery {
  const q = address.get('q')?.slice(0, MAX_SEARCH);
  const status = address.get('status');
  const type = address.get('type');
  const paused = address.get('paused');
  return {
    ...(q && { q }),
    ...(status && { status }),
    ...(type && { type }),
    ...((paused === 'true' || paused === 'false') && { paused: paused === 'true' }),
    order: address.get('order') === 'asc' ? 'asc' : 'desc',
    ...rowsOf(address, MAX_ROWS, DEFAULT_ROWS),
    fields: FIELDS,
  };
}

export function agentsRequests(address: URLSearchParams): string[] {
  return [requestPath('/agents', toAgentsQuery(address)), '/stats'];
}

const SHOWN_TASKS = 20;

/** Of the newest tasks of an agent. */
export function agentTasksQuery(agentId: string): TaskQuery {
  return toTaskQuery(agentTasksAddress(agentId));
}

export function agentRequests(query: URLSearchParams, [, agentId = '']: readonly string[]): string[] {
  const [tasks = ''] = tasksRequests(agentTasksAddress(agentId));
  return [`/agents/${agentId}`, `/agents/${agentId}/pause?optional=true`, tasks, seriesRequest(query, agentId)];
}

function agentTasksAddress(agent_id: string): URLSearchParams {
  return new URLSearchParams({ agent_id, limit: String(SHOWN_TASKS) });
}

const WORKER_ROWS = 50;
const LEASE_ROWS = 50;
/** Of the tasks that run: what the rows of leases say about them. */
const TASK_FIELDS = 'message';

export function workersQuery(address: URLSearchParams) {
  return { skip: toInteger(address.get('skip')) ?? 0, limit: WORKER_ROWS };
}

export function leasesQuery(address: URLSearchParams) {
  const worker_id = address.get('worker_id');
  const after = address.get('lease_after');
  const skip = toInteger(address.get('lease_skip')) ?? 0;
  return { ...(worker_id && { worker_id }), ...(after ? { after } : { skip }), limit: LEASE_ROWS };
}

/** The tasks of these leases: both are in the order of the tasks' creation. */
export function leasedTasksQuery(address: URLSearchParams) {
  return { ...leasesQuery(address), status: 'running', fields: TASK_FIELDS };
}

export function workersRequests(address: URLSearchParams): string[] {
  return [requestPath('/workers', workersQuery(address)), requestPath('/leases', leasesQuery(address))];
}
