import type { Lease } from '../../harness/api.ts';
import {
  at,
  but,
  type ContractCases,
  guarded,
  MIB,
  ofAgents,
  type Prepare,
  plainly,
  type World,
  withBody,
} from '../contract-case.ts';

const body = { worker_id: 'e2e' };

/** A lease of a task of an agent of its own. */
async function hold({ api }: World): Promise<Lease> {
  return api.createRunning((await api.createAgent()).id);
}

/** A lease that its holder has given back. */
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
const leaseFromIdleAgent: Prepare = async ({ api }) => ({
  method: 'POST',
  path: `/agents/${(await api.createAgent()).id}/leases`,
  body,
});
/** Of another type than the agent of the world: its task is to stay. */
const leaseFromTypes: Prepare = async ({ api }) => {
  const { id } = await api.createAgent({ type: api.types[1] });
  await api.createTask(id);
  return { method: 'POST', path: '/leases', body: { ...body, types: [api.types[1]] } };
};
const leaseFromIdleTypes: Prepare = ({ api }) => ({
  method: 'POST',
  path: '/leases',
  body: { ...body, types: [api.types[2]] },
});

const heartbeat: Prepare = async (world) => toHeartbeat(await hold(world));
const putResult: Prepare = async (world) => toResult(await hold(world));
const release: Prepare = async (world) => toRelease(await hold(world));

function toHeartbeat({ id, token }: Lease) {
  const progress = { percent: 40, message: 'Reading' };
  return { method: 'PUT', path: `/leases/${id}/heartbeat`, body: { token, progress } };
}

function toResult({ id, token }: Lease) {
  return { method: 'PUT', path: `/leases/${id}/result`, body: { token, status: 'completed', result: { ok: true } } };
}

function toRelease({ id, token }: Lease) {
  return { method: 'DELETE', path: `/leases/${id}`, headers: { 'x-lease-token': token } };
}

export const LEASE_CASES: Record<string, ContractCases> = {
  'POST /agents/{agent_id}/leases': {
    ...ofAgents(leaseFromAgent),
    ...guarded(leaseFromAgent),
    ...withBody(leaseFromAgent),
    201: plainly(leaseFromAgent),
    204: plainly(leaseFromIdleAgent),
    404: plainly(at('/agents/missing/leases', leaseFromAgent)),
  },
  'POST /leases': {
    ...ofAgents(leaseFromTypes),
    ...guarded(leaseFromTypes),
    ...withBody(leaseFromTypes),
    201: plainly(leaseFromTypes),
    204: plainly(leaseFromIdleTypes),
  },
  'PUT /leases/{lease_id}/heartbeat': {
    ...ofAgents(heartbeat),
    ...guarded(heartbeat),
    ...withBody(heartbeat),
    200: plainly(heartbeat),
    404: plainly(at('/leases/missing/heartbeat', heartbeat)),
    409: plainly(async (world) => toHeartbeat(await lose(world))),
  },
  'PUT /leases/{lease_id}/result': {
    ...ofAgents(putResult),
    ...guarded(putResult),
    ...withBody(putResult, 1.5 * MIB),
    200: plainly(putResult),
    404: plainly(at('/leases/missing/result', putResult)),
    409: plainly(async (world) => toResult(await lose(world))),
  },
  'DELETE /leases/{lease_id}': {
    ...ofAgents(release),
    ...guarded(release),
    204: plainly(release),
    400: plainly(but(release, { headers: { 'x-lease-token': '' } })),
    404: plainly(at('/leases/missing', release)),
    409: plainly(async (world) => toRelease(await lose(world))),
  },
};
