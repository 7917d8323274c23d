import {
  BAD_HOST,
  type ContractCases,
  idempotently,
  ofAgents,
  type Prepare,
  type World,
  withBody,
} from '../contract-case.ts';

const MISSING = '/bulk-actions/missing';
const filter = { tag: 'no task has this tag' };

/** Creates an action and returns its path. */
async function begin({ api }: World, of: object = filter): Promise<string> {
  const body = { action: 'cancel', filter: of };
  return String((await api.call('POST', '/bulk-actions', { body })).headers.location);
}

const create: Prepare = () => ({ method: 'POST', path: '/bulk-actions', body: { action: 'cancel', filter } });
const count: Prepare = () => {
  return { method: 'POST', path: '/bulk-actions', body: { action: 'retry', filter, dry_run: true } };
};
const read: Prepare = async (world) => ({ method: 'GET', path: await begin(world) });
const stop: Prepare = async (world) => ({ method: 'DELETE', path: await begin(world) });
/** It begins with the request, so that it has not ended. */
const stopRunning: Prepare = async (world) => {
  const { id } = await world.api.createAgent();
  for (let batches = 0; batches < 2; batches++) await world.api.createTasks(id, 500);
  return { method: 'DELETE', path: MISSING, latePath: () => begin(world, { agent_id: id }) };
};
const stopEnded: Prepare = async (world) => {
  const path = await begin(world);
  await world.api.call('DELETE', path);
  return { method: 'DELETE', path };
};

export const BULK_ACTION_CASES: Record<string, ContractCases> = {
  'POST /bulk-actions': {
    ...idempotently(create, () => ({ action: 'delete', filter })),
    ...withBody(create, { 200: count, 202: create }),
  },
  'GET /bulk-actions/{id}': ofAgents(read, { 200: read, 400: BAD_HOST, 404: MISSING }),
  'DELETE /bulk-actions/{id}': ofAgents(stop, { 200: stopRunning, 400: BAD_HOST, 404: MISSING, 409: stopEnded }),
};
