import { type Api, type Lease, pathOf, type Task } from '../../harness/api.ts';
import {
  BAD_HOST,
  type ContractCases,
  idempotently,
  KNOWN,
  ofAgents,
  type Prepare,
  STALE,
  under,
  withBody,
} from '../contract-case.ts';

const MISSING = '/agents/:agent/tasks/missing';

const late = () => ({ message: 'Late', expires_at: new Date(Date.now() - 3_600_000).toISOString() });

/** Creates an agent with a task that a worker runs. */
async function running(api: Api): Promise<Lease> {
  return api.createRunning((await api.createAgent()).id);
}

async function completed(api: Api): Promise<Task> {
  const lease = await running(api);
  await api.report(lease);
  return lease.task;
}

const runningTask = async (api: Api) => (await running(api)).task;

const list: Prepare = ({ agent }) => ({ method: 'GET', path: `/agents/${agent.id}/tasks` });
const create: Prepare = ({ agent }) => {
  return { method: 'POST', path: `/agents/${agent.id}/tasks`, body: { message: 'Do it' } };
};
const createBatch: Prepare = ({ agent }) => {
  const tasks = [{ message: 'Do it' }, { message: '' }, late(), { message: 'Do that' }];
  return { method: 'POST', path: `/agents/${agent.id}/task-batches`, body: { tasks } };
};
const read: Prepare = ({ task }) => ({ method: 'GET', path: pathOf(task) });
const replace: Prepare = async ({ api, agent }) => {
  return { method: 'PUT', path: pathOf(await api.createTask(agent.id)), body: { message: 'Do that' } };
};
const remove: Prepare = async ({ api, agent }) => {
  return { method: 'DELETE', path: pathOf(await api.createTask(agent.id)) };
};
const cancel: Prepare = async ({ api, agent }) => {
  const path = `${pathOf(await api.createTask(agent.id))}/cancellation`;
  return { method: 'PUT', path, body: { reason: 'No longer needed' } };
};
const retry: Prepare = async ({ api }) => {
  return { method: 'POST', path: `${pathOf(await completed(api))}/retries`, body: { message: 'Do it again' } };
};
const listAttempts: Prepare = async ({ api }) => ({
  method: 'GET',
  path: `${pathOf(await runningTask(api))}/attempts`,
});
const search: Prepare = () => ({ method: 'GET', path: '/tasks' });

/** The same request for another task. */
function about(make: (api: Api) => Promise<Task>, prepare: Prepare, rest = ''): Prepare {
  return async (world) => ({ ...(await prepare(world)), path: pathOf(await make(world.api)) + rest });
}

/** The same request with an impossible body. */
function lately(prepare: Prepare): Prepare {
  return async (world) => ({ ...(await prepare(world)), body: late() });
}

export const TASK_CASES: Record<string, ContractCases> = {
  'GET /agents/{agent_id}/tasks': ofAgents(list, {
    200: list,
    400: '/agents/:agent/tasks?skip=-1',
    404: '/agents/missing/tasks',
  }),
  'POST /agents/{agent_id}/tasks': {
    ...idempotently(create, () => ({ message: 'Do that' })),
    ...withBody(create, { 201: create, 404: '/agents/missing/tasks', 422: lately(create) }),
    '403 quota_exceeded': under('used up quotas', create),
  },
  'POST /agents/{agent_id}/task-batches': {
    ...withBody(createBatch, { 201: createBatch, 404: '/agents/missing/task-batches' }),
    ...idempotently(createBatch, () => ({ tasks: [{ message: 'Do that' }] })),
  },
  'GET /agents/{agent_id}/tasks/{task_id}': ofAgents(read, {
    200: read,
    304: KNOWN,
    400: '/agents/:agent/tasks/any?wait=31',
    404: MISSING,
  }),
  'PUT /agents/{agent_id}/tasks/{task_id}': withBody(replace, {
    200: replace,
    404: MISSING,
    409: about(runningTask, replace),
    412: STALE,
    422: lately(replace),
  }),
  'DELETE /agents/{agent_id}/tasks/{task_id}': ofAgents(remove, {
    204: remove,
    400: BAD_HOST,
    404: MISSING,
    412: STALE,
  }),
  'PUT /agents/{agent_id}/tasks/{task_id}/cancellation': withBody(cancel, {
    200: cancel,
    202: about(runningTask, cancel, '/cancellation'),
    404: `${MISSING}/cancellation`,
    409: about(completed, cancel, '/cancellation'),
  }),
  'POST /agents/{agent_id}/tasks/{task_id}/retries': {
    ...idempotently(retry, () => ({ message: 'Do that again' })),
    ...withBody(retry, {
      201: retry,
      404: `${MISSING}/retries`,
      '409 task_not_ended': about(runningTask, retry, '/retries'),
    }),
    '403 quota_exceeded': under('used up quotas', retry),
  },
  'GET /agents/{agent_id}/tasks/{task_id}/attempts': ofAgents(listAttempts, {
    200: listAttempts,
    400: BAD_HOST,
    404: `${MISSING}/attempts`,
  }),
  'GET /tasks': ofAgents(search, { 200: search, 400: '/tasks?limit=0' }),
};
