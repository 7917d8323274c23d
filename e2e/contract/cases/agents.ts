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

const list: Prepare = () => ({ method: 'GET', path: '/agents' });
const create: Prepare = ({ api }) => ({ method: 'POST', path: '/agents', body: { name: 'Ada', type: api.types[0] } });
const read: Prepare = ({ agent }) => ({ method: 'GET', path: `/agents/${agent.id}` });
const replace: Prepare = ({ api, agent }) => {
  return { method: 'PUT', path: `/agents/${agent.id}`, body: { name: 'Grace', type: api.types[0] } };
};
const remove: Prepare = async ({ api }) => ({ method: 'DELETE', path: `/agents/${(await api.createAgent()).id}` });
const MISSING = '/agents/missing';

/** Creates a paused agent, and returns the path of its pause. */
async function pause({ api }: World): Promise<string> {
  const path = `/agents/${(await api.createAgent()).id}/pause`;
  await api.call('PUT', path, { body: { reason: 'Maintenance' } });
  return path;
}

const readPause: Prepare = async (world) => ({ method: 'GET', path: await pause(world) });
const pauseAgain: Prepare = async (world) => {
  return { method: 'PUT', path: await pause(world), body: { reason: 'Still maintenance' } };
};
const resume: Prepare = async (world) => ({ method: 'DELETE', path: await pause(world) });

export const AGENT_CASES: Record<string, ContractCases> = {
  'GET /agents': ofAgents(list, { 200: list, 400: '/agents?limit=0' }),
  'POST /agents': {
    ...withBody(create, { 201: create }),
    ...idempotently(create, ({ api }) => ({ name: 'Eve', type: api.types[0] })),
    '403 quota_exceeded': under('used up quotas', create),
  },
  'GET /agents/{agent_id}': ofAgents(read, { 200: read, 304: KNOWN, 400: BAD_HOST, 404: MISSING }),
  'PUT /agents/{agent_id}': withBody(replace, { 200: replace, 404: MISSING, 412: STALE }),
  'DELETE /agents/{agent_id}': ofAgents(remove, { 204: remove, 400: BAD_HOST, 404: MISSING, 412: STALE }),
  'GET /agents/{agent_id}/pause': ofAgents(readPause, {
    200: readPause,
    400: '/agents/:agent/pause?optional=maybe',
    404: '/agents/:agent/pause',
  }),
  'PUT /agents/{agent_id}/pause': withBody(pauseAgain, { 200: pauseAgain, 404: '/agents/missing/pause' }),
  'DELETE /agents/{agent_id}/pause': ofAgents(resume, { 204: resume, 400: BAD_HOST, 404: '/agents/missing/pause' }),
};
