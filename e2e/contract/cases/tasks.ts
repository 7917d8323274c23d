import type { Api, Lease, Task } from '../../harness/api.ts';
import {
  at,
  but,
  type ContractCases,
  guarded,
  idempotently,
  known,
  ofAgents,
  type Prepare,
  plainly,
  STALE,
  withBadHost,
  withBody,
} from '../contract-case.ts';

const HOUR_MS = 3_600_000;
const MISSING = '/agents/:agent/tasks/missing';

const late = () => ({ message: 'Late', expires_at: new Date(Date.now() - HOUR_MS).toISOString() });

/** A task of an agent of its own, that a worker has. */
async function running(api: Api): Promise<Lease> {
  return api.createRunning((await api.createAgent()).id);
}

async function completed(api: Api): Promise<Task> {
  const lease = await running(api);
  await api.report(lease);
  return lease.task;
}

const pathOf = ({ agent_id, id }: Task, rest = '') => `/agents/${agent_id}/tasks/${id}${rest}`;

const list: Prepare = ({ agent }) => ({ method: 'GET', path: `/agents/${agent.id}/tasks` });
const create: Prepare = ({ agent }) => ({
  method: 'POST',
  path: `/agents/${agent.id}/tasks`,
  body: { message: 'Do it' },
});
const createBatch: Prepare = ({ agent }) => ({
  method: 'POST',
  path: `/agents/${agent.id}/task-batches`,
  body: { tasks: [{ message: 'Do it' }, { message: '' }, late(), { message: 'Do that' }] },
});
const read: Prepare = ({ task }) => ({ method: 'GET', path: pathOf(task) });
const replace: Prepare = async ({ api, agent }) => ({
  method: 'PUT',
  path: pathOf(await api.createTask(agent.id)),
  body: { message: 'Do that' },
});
const remove: Prepare = async ({ api, agent }) => ({
  method: 'DELETE',
  path: pathOf(await api.createTask(agent.id)),
});
const cancel: Prepare = async ({ api, agent }) => ({
  method: 'PUT',
  path: pathOf(await api.createTask(agent.id), '/cancellation'),
  body: { reason: 'No longer needed' },
});
const listAttempts: Prepare = async ({ api }) => ({
  method: 'GET',
  path: pathOf((await running(api)).task, '/attempts'),
});
const search: Prepare = () => ({ method: 'GET', path: '/tasks' });

/** The same request about another task. */
function about(make: (api: Api) => Promise<Task>, prepare: Prepare, rest = ''): Prepare {
  return async (world) => ({ ...(await prepare(world)), path: pathOf(await make(world.api), rest) });
}

const runningTask = async (api: Api) => (await running(api)).task;

export const TASK_CASES: Record<string, ContractCases> = {
  'GET /agents/{agent_id}/tasks': {
    ...ofAgents(list),
    ...guarded(list),
    200: plainly(list),
    400: plainly(at('/agents/:agent/tasks?skip=-1', list)),
    404: plainly(at('/agents/missing/tasks', list)),
  },
  'POST /agents/{agent_id}/tasks': {
    ...ofAgents(create),
    ...guarded(create),
    ...withBody(create),
    ...idempotently(create, () => ({ message: 'Do that' })),
    201: plainly(create),
    404: plainly(at('/agents/missing/tasks', create)),
    422: plainly(but(create, () => ({ body: late() }))),
  },
  'POST /agents/{agent_id}/task-batches': {
    ...ofAgents(createBatch),
    ...guarded(createBatch),
    ...withBody(createBatch),
    ...idempotently(createBatch, () => ({ tasks: [{ message: 'Do that' }] })),
    201: plainly(createBatch),
    404: plainly(at('/agents/missing/task-batches', createBatch)),
  },
  'GET /agents/{agent_id}/tasks/{task_id}': {
    ...ofAgents(read),
    ...guarded(read),
    200: plainly(read),
    304: known(read),
    400: plainly(at('/agents/:agent/tasks/any?wait=31', read)),
    404: plainly(at(MISSING, read)),
  },
  'PUT /agents/{agent_id}/tasks/{task_id}': {
    ...ofAgents(replace),
    ...guarded(replace),
    ...withBody(replace),
    200: plainly(replace),
    404: plainly(at(MISSING, replace)),
    409: plainly(about(runningTask, replace)),
    412: plainly(but(replace, { headers: STALE })),
    422: plainly(but(replace, () => ({ body: late() }))),
  },
  'DELETE /agents/{agent_id}/tasks/{task_id}': {
    ...ofAgents(remove),
    ...guarded(remove),
    204: plainly(remove),
    400: withBadHost(remove),
    404: plainly(at(MISSING, remove)),
    412: plainly(but(remove, { headers: STALE })),
  },
  'PUT /agents/{agent_id}/tasks/{task_id}/cancellation': {
    ...ofAgents(cancel),
    ...guarded(cancel),
    ...withBody(cancel),
    200: plainly(cancel),
    202: plainly(about(runningTask, cancel, '/cancellation')),
    404: plainly(at(`${MISSING}/cancellation`, cancel)),
    409: plainly(about(completed, cancel, '/cancellation')),
  },
  'GET /agents/{agent_id}/tasks/{task_id}/attempts': {
    ...ofAgents(listAttempts),
    ...guarded(listAttempts),
    200: plainly(listAttempts),
    400: withBadHost(listAttempts),
    404: plainly(at(`${MISSING}/attempts`, listAttempts)),
  },
  'GET /tasks': {
    ...ofAgents(search),
    ...guarded(search),
    200: plainly(search),
    400: plainly(at('/tasks?limit=0', search)),
  },
};
