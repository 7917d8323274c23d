const WORKER_ROWS = 50;
const LEASE_ROWS = 50;
/** Of the tasks that run: what the rows of leases say about them. */
const TASK_FIELDS = 'message';

export function workersQuery(address: URLSearchParams) {
  return { skip: toSkip(address.get('skip')), limit: WORKER_ROWS };
}

export function leasesQuery(address: URLSearchParams) {
  const worker_id = address.get('worker_id');
  return { ...(worker_id && { worker_id }), skip: toSkip(address.get('lease_skip')), limit: LEASE_ROWS };
}

/** The tasks of these leases: both are in the order of the tasks' creation. */
export function leasedTasksQuery(address: URLSearchParams) {
  return { ...leasesQuery(address), status: 'running', fields: TASK_FIELDS };
}

export function workersRequests(address: URLSearchParams): string[] {
  return [toPath('/workers', workersQuery(address)), toPath('/leases', leasesQuery(address))];
}

function toPath(path: string, query: object): string {
  return `${path}?${new URLSearchParams(Object.entries(query).map(([name, value]) => [name, String(value)]))}`;
}

function toSkip(text: string | null): number {
  return text && /^\d{1,15}$/.test(text) ? Number(text) : 0;
}
