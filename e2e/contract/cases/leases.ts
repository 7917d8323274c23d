import { type Lease, pathOf } from '../../harness/api.ts';
import { BAD_HOST, type ContractCases, MIB, ofAgents, type Prepare, type World, withBody } from '../contract-case.ts';

const body = { worker_id: 'e2e' };

/** Creates an agent with a task, and leases the task. */
async function hold({ api }: World): Promise<Lease> {
  return api.createRunning((await api.createAgent()).id);
}

/** Creates a lease that its holder has released. */
async function lose(world: World): Promise<Lease> {
  const lease = await hold(world);
  await world.api.release(lease);
  return lease;
}

const leaseFromAgent: Prepare = async ({ api }) => {
  const { id } = await api.createAgent();
  await api.createTask(id);
  return { method: 'POST', path: `/agents/${id}/leases`, body };
};
const leaseFromIdleAgent: Prepare = async ({ api }) => {
  return { method: 'POST', path: `/agents/${(await api.createAgent()).id}/leases`, body };
};
/** An agent of another type than that of the world, whose task must not be taken. */
const leaseFromTypes: Prepare = async ({ api }) => {
  const { id } = await api.createAgent({ type: api.types[1] });
  await api.createTask(id);
  return { method: 'POST', path: '/leases', body: { ...body, types: [api.types[1]] } };
};
const leaseFromIdleTypes: Prepare = ({ api }) => {
  return { method: 'POST', path: '/leases', body: { ...body, types: [api.types[2]] } };
};

type UseOfLease = (take: (world: World) => Promise<Lease>) => Prepare;
const heartbeat: UseOfLease = (take) => async (world) => {
  const { id, token } = await take(world);
  const progress = { percent: 40, message: 'Reading' };
  return { method: 'PUT', path: `/leases/${id}/heartbeat`, body: { token, progress } };
};
const putResult: UseOfLease = (take) => async (world) => {
  const { id, token } = await take(world);
  return { method: 'PUT', path: `/leases/${id}/result`, body: { token, status: 'completed', result: { ok: true } } };
};
const release: UseOfLease = (take) => async (world) => {
  const { id, token } = await take(world);
  return { method: 'DELETE', path: `/leases/${id}`, headers: { 'x-lease-token': token } };
};

const addLogEntries: UseOfLease = (take) => async (world) => {
  const { id, token } = await take(world);
  return { method: 'POST', path: `/leases/${id}/log-entries`, body: { token, entries: [{ text: 'Reading' }] } };
};

/** By a worker that has requested tasks. */
const list =
  (path: string): Prepare =>
  async (world) => {
    await hold(world);
    return { method: 'GET', path };
  };
const wait: Prepare = async ({ api, agent }) => {
  return { method: 'GET', path: `${pathOf(await api.createTask(agent.id))}/waiting` };
};

const used = (use: UseOfLease, path: string) => ({ 404: path, 409: use(lose) });

export const LEASE_CASES: Record<string, ContractCases> = {
  'POST /agents/{agent_id}/leases': withBody(leaseFromAgent, {
    201: leaseFromAgent,
    204: leaseFromIdleAgent,
    404: '/agents/missing/leases',
  }),
  'GET /leases': ofAgents(list('/leases'), { 200: list('/leases'), 400: '/leases?limit=0' }),
  'GET /workers': ofAgents(list('/workers'), { 200: list('/workers'), 400: '/workers?limit=0' }),
  'GET /agents/{agent_id}/tasks/{task_id}/waiting': ofAgents(wait, {
    200: wait,
    400: BAD_HOST,
    404: '/agents/:agent/tasks/missing/waiting',
  }),
  'POST /leases': withBody(leaseFromTypes, { 201: leaseFromTypes, 204: leaseFromIdleTypes }),
  'PUT /leases/{lease_id}/heartbeat': withBody(heartbeat(hold), {
    200: heartbeat(hold),
    ...used(heartbeat, '/leases/missing/heartbeat'),
  }),
  'PUT /leases/{lease_id}/result': withBody(
    putResult(hold),
    { 200: putResult(hold), ...used(putResult, '/leases/missing/result') },
    1.5 * MIB,
  ),
  'POST /leases/{lease_id}/log-entries': withBody(
    addLogEntries(hold),
    { 204: addLogEntries(hold), ...used(addLogEntries, '/leases/missing/log-entries') },
    1.5 * MIB,
  ),
  'DELETE /leases/{lease_id}': ofAgents(release(hold), {
    204: release(hold),
    400: { headers: { 'x-lease-token': '' } },
    ...used(release, '/leases/missing'),
  }),
};
