import {
  BAD_HOST,
  broken,
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
const check: Prepare = ({ api }) => {
  const definition = { instructions: 'Be brief', output_schema: { type: 'object' } };
  return { method: 'POST', path: '/agent-checks', body: { name: 'Ada', type: api.types[0], definition } };
};
/** The gateway looks the token up; the operation itself reads nothing. */
const checkByNewToken: Prepare = async (world) => {
  const headers = { authorization: `Bearer ${await world.freshToken()}` };
  return { ...(await check(world)), as: 'nobody', headers };
};
const unknownSkill: Prepare = ({ api }) => {
  const body = { name: 'Ada', type: api.types[0], definition: { skills: ['acme~nothing'] } };
  return { method: 'POST', path: '/agent-checks', body };
};
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

/** Creates an agent with a definition, and returns its id. */
async function define({ api }: World): Promise<string> {
  const { id } = await api.createAgent();
  await api.call('PUT', `/agents/${id}/definition`, { body: { instructions: 'Be brief' } });
  return id;
}

const pathOfDefinition = (id: string) => `/agents/${id}/definition`;
const readDefinition: Prepare = async (world) => ({ method: 'GET', path: pathOfDefinition(await define(world)) });
const putDefinition: Prepare = async (world) => {
  return { method: 'PUT', path: pathOfDefinition(await define(world)), body: { instructions: 'Be precise' } };
};
const firstDefinition: Prepare = async ({ api }) => {
  return { method: 'PUT', path: pathOfDefinition((await api.createAgent()).id), body: { instructions: 'Be precise' } };
};
const deleteDefinition: Prepare = async (world) => ({ method: 'DELETE', path: pathOfDefinition(await define(world)) });
const listVersions: Prepare = async (world) => {
  return { method: 'GET', path: `${pathOfDefinition(await define(world))}/versions` };
};
const readVersion: Prepare = async (world) => {
  return { method: 'GET', path: `${pathOfDefinition(await define(world))}/versions/1` };
};

/** An agent whose tasks name versions of nearly 16 MiB. */
const tooLarge: Prepare = async ({ api }) => {
  const { id } = await api.createAgent();
  const values = Object.fromEntries(Array.from({ length: 30 }, (_, at) => [`V${at}`, 'x'.repeat(4_000)]));
  const mcp_servers = Array.from({ length: 8 }, (_, at) => ({ name: `s${at}`, command: 'x', env: values }));
  const request = (note: string) => ({ method: 'PUT', path: pathOfDefinition(id), body: { mcp_servers, note } });
  for (let version = 1; ; version++) {
    const { method, path, body } = request(`${version}`);
    if ((await api.call(method, path, { body })).status === 409) return request('one more');
    await api.createTask(id);
  }
};

export const AGENT_CASES: Record<string, ContractCases> = {
  'GET /agents': ofAgents(list, { 200: list, 400: '/agents?limit=0' }),
  'POST /agents': {
    ...withBody(create, { 201: create }),
    ...idempotently(create, ({ api }) => ({ name: 'Eve', type: api.types[0] })),
    '403 quota_exceeded': under('used up quotas', create),
  },
  'POST /agent-checks': {
    ...withBody(check, { 200: check, 422: unknownSkill }),
    500: broken('agents', check),
    503: under('unavailable store', checkByNewToken),
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
  'GET /agents/{agent_id}/definition': ofAgents(readDefinition, {
    200: readDefinition,
    304: KNOWN,
    400: '/agents/:agent/definition?optional=maybe',
    404: '/agents/:agent/definition',
  }),
  'PUT /agents/{agent_id}/definition': withBody(putDefinition, {
    200: putDefinition,
    201: firstDefinition,
    404: '/agents/missing/definition',
    409: tooLarge,
    412: STALE,
    422: { body: { skills: ['acme~nothing'] } },
  }),
  'DELETE /agents/{agent_id}/definition': ofAgents(deleteDefinition, {
    204: deleteDefinition,
    400: BAD_HOST,
    404: '/agents/missing/definition',
    412: STALE,
  }),
  'GET /agents/{agent_id}/definition/versions': ofAgents(listVersions, {
    200: listVersions,
    400: '/agents/:agent/definition/versions?limit=0',
    404: '/agents/missing/definition/versions',
  }),
  'GET /agents/{agent_id}/definition/versions/{version}': ofAgents(readVersion, {
    200: readVersion,
    304: KNOWN,
    400: BAD_HOST,
    404: '/agents/:agent/definition/versions/7',
  }),
  'DELETE /agents/{agent_id}/pause': ofAgents(resume, { 204: resume, 400: BAD_HOST, 404: '/agents/missing/pause' }),
};
