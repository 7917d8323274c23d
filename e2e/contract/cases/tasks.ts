import { type Api, type Lease, pathOf, type Task } from '../../harness/api.ts';
import { expectStatus } from '../../harness/http-client.ts';
import {
  BAD_HOST,
  type ContractCases,
  idempotently,
  KNOWN,
  ofAgents,
  type Prepare,
  STALE,
  under,
  type World,
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
/** Takes all sets of labels that one caller may use in a type, and returns an agent of it with a task. */
async function useUpSets({ api }: World): Promise<Task> {
  const { id } = await api.createAgent();
  const task = await api.createTask(id, { requires: [`other-${crypto.randomUUID()}`] });
  expectStatus(await api.call('PUT', `${pathOf(task)}/cancellation`), 200);
  for (let at = 0; at < 33; at++) {
    const body = { message: 'Do it', requires: [`set-${at}`] };
    if ((await api.call('POST', `/agents/${id}/tasks`, { body })).status === 409) break;
  }
  return task;
}

const inOtherSet = () => ({ message: 'Do it', requires: [`other-${crypto.randomUUID()}`] });
const createInOtherSet: Prepare = async (world) => {
  return { method: 'POST', path: `/agents/${(await useUpSets(world)).agent_id}/tasks`, body: inOtherSet() };
};
const createBatchInOtherSet: Prepare = async (world) => {
  const path = `/agents/${(await useUpSets(world)).agent_id}/task-batches`;
  return { method: 'POST', path, body: { tasks: [inOtherSet()] } };
};
const replaceByOtherSet: Prepare = async (world) => {
  const { agent_id } = await useUpSets(world);
  return { method: 'PUT', path: pathOf(await world.api.createTask(agent_id)), body: inOtherSet() };
};
const retryInOtherSet: Prepare = async (world) => ({
  method: 'POST',
  path: `${pathOf(await useUpSets(world))}/retries`,
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

const createGraph: Prepare = ({ agent }) => ({
  method: 'POST',
  path: '/task-batches',
  body: {
    tasks: [
      { agent_id: agent.id, message: 'Do it', key: 'a' },
      { agent_id: agent.id, message: 'Do that', after: ['@a'] },
    ],
  },
});
const createGraphInOtherSet: Prepare = async (world) => {
  const { agent_id } = await useUpSets(world);
  return { method: 'POST', path: '/task-batches', body: { tasks: [{ agent_id, ...inOtherSet() }] } };
};
const readGraph: Prepare = ({ task }) => ({ method: 'GET', path: `${pathOf(task)}/graph` });

export const TASK_CASES: Record<string, ContractCases> = {
  'GET /agents/{agent_id}/tasks': ofAgents(list, {
    200: list,
    400: '/agents/:agent/tasks?skip=-1',
    404: '/agents/missing/tasks',
  }),
  'POST /agents/{agent_id}/tasks': {
    ...idempotently(create, () => ({ message: 'Do that' })),
    ...withBody(create, { 201: create, 404: '/agents/missing/tasks', 422: lately(create) }),
    '409 too_many_requirement_sets': under('nothing', createInOtherSet),
    '403 quota_exceeded': under('used up quotas', create),
  },
  'POST /agents/{agent_id}/task-batches': {
    ...withBody(createBatch, { 201: createBatch, 404: '/agents/missing/task-batches' }),
    '409 too_many_requirement_sets': under('nothing', createBatchInOtherSet),
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
    '409 too_many_requirement_sets': replaceByOtherSet,
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
      '409 too_many_requirement_sets': retryInOtherSet,
    }),
    '403 quota_exceeded': under('used up quotas', retry),
  },
  'GET /agents/{agent_id}/tasks/{task_id}/attempts': ofAgents(listAttempts, {
    200: listAttempts,
    400: BAD_HOST,
    404: `${MISSING}/attempts`,
  }),
  'POST /task-batches': {
    ...idempotently(createGraph, ({ agent }) => ({ tasks: [{ agent_id: agent.id, message: 'Do that' }] })),
    ...withBody(createGraph, { 201: createGraph, 422: { body: { tasks: [{ agent_id: 'none', message: 'x' }] } } }),
    '409 too_many_requirement_sets': under('nothing', createGraphInOtherSet),
    '403 quota_exceeded': under('used up quotas', createGraph),
  },
  'GET /agents/{agent_id}/tasks/{task_id}/graph': ofAgents(readGraph, {
    200: readGraph,
    400: BAD_HOST,
    404: `${MISSING}/graph`,
  }),
  'GET /tasks': ofAgents(search, { 200: search, 400: '/tasks?limit=0' }),
};
