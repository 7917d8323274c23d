import { requestPath, toInteger } from './path.ts';

const WORKER_ROWS = 50;
const LEASE_ROWS = 50;
/** Of the tasks that run: what the rows of leases say about them. */
const TASK_FIELDS = 'message';

export function workersQuery(address: URLSearchParams) {
  return { skip: toInteger(address.get('skip')) ?? 0, limit: WORKER_ROWS };
}

export function leasesQuery(address: URLSearchParams) {
  const worker_id = address.get('worker_id');
  return { ...(worker_id && { worker_id }), skip: toInteger(address.get('lease_skip')) ?? 0, limit: LEASE_ROWS };
}

/** The tasks of these leases: both are in the order of the tasks' creation. */
export function leasedTasksQuery(address: URLSearchParams) {
  return { ...leasesQuery(address), status: 'running', fields: TASK_FIELDS };
}

export function workersRequests(address: URLSearchParams): string[] {
  return [requestPath('/workers', workersQuery(address)), requestPath('/leases', leasesQuery(address))];
}
