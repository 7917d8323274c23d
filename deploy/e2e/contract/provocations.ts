import type { CallOptions } from '../harness/http-client.ts';
import {
  broken,
  but,
  guarded,
  known,
  ofAgents,
  ofRegistry,
  type Prepare,
  type Provocations,
  plainly,
  withBadHost,
  withBody,
} from './provocation.ts';

const HOUR_MS = 3_600_000;
const STALE = { 'if-match': '"stale"' };

function anonymously(method: string, path: string, options: CallOptions = {}): Prepare {
  return () => ({ method, path, as: 'nobody', ...options });
}

const listAgents: Prepare = () => ({ method: 'GET', path: '/agents' });
const createAgent: Prepare = ({ api }) => ({
  method: 'POST',
  path: '/agents',
  body: { name: 'Ada', type: api.types[0] },
});
const readAgent: Prepare = ({ agent }) => ({ method: 'GET', path: `/agents/${agent.id}` });
const replaceAgent: Prepare = ({ api, agent }) => ({
  method: 'PUT',
  path: `/agents/${agent.id}`,
  body: { name: 'Grace', type: api.types[0] },
});
const deleteAgent: Prepare = async ({ api }) => ({ method: 'DELETE', path: `/agents/${(await api.createAgent()).id}` });
const listTasks: Prepare = ({ agent }) => ({ method: 'GET', path: `/agents/${agent.id}/tasks` });
const createTask: Prepare = ({ agent }) => ({
  method: 'POST',
  path: `/agents/${agent.id}/tasks`,
  body: { message: 'Do it' },
});
const readTask: Prepare = ({ agent, task }) => ({ method: 'GET', path: `/agents/${agent.id}/tasks/${task.id}` });

const listSkills = anonymously('GET', '/api/skills');
const readSkill: Prepare = ({ skill }) => ({ method: 'GET', path: `/api/skills/${skill}`, as: 'nobody' });
const listCategories = anonymously('GET', '/api/categories');
const readRegistryFile = anonymously('GET', '/registry.json');
const readRegistryStatus = anonymously('GET', '/api/registry/status');

const signIn: Prepare = ({ api }) => {
  const { email: username, password } = api.system.admin;
  const headers = { 'content-type': 'application/x-www-form-urlencoded' };
  return {
    method: 'POST',
    path: '/token',
    as: 'nobody',
    headers,
    body: String(new URLSearchParams({ username, password })),
  };
};
const readProtected: Prepare = async ({ freshToken }) => ({
  method: 'GET',
  path: '/protected',
  as: 'nobody',
  headers: { authorization: `Bearer ${await freshToken()}` },
});

/** The same request to another path. */
function at(path: string, prepare: Prepare): Prepare {
  return async (world) => ({ ...(await prepare(world)), path: path.replace(':agent', world.agent.id) });
}

function page(path: string): Provocations {
  const good = anonymously('GET', path);
  return { 200: plainly(good), 304: known(good), 500: broken('gateway', good) };
}

/** How every documented status of every operation is provoked. */
export const PROVOCATIONS: Record<string, Provocations> = {
  'GET /agents': {
    ...ofAgents(listAgents),
    ...guarded(listAgents),
    200: plainly(listAgents),
    400: plainly(at('/agents?limit=0', listAgents)),
  },
  'POST /agents': {
    ...ofAgents(createAgent),
    ...guarded(createAgent),
    ...withBody(createAgent),
    201: plainly(createAgent),
  },
  'GET /agents/{agent_id}': {
    ...ofAgents(readAgent),
    ...guarded(readAgent),
    200: plainly(readAgent),
    304: known(readAgent),
    400: withBadHost(readAgent),
    404: plainly(at('/agents/missing', readAgent)),
  },
  'PUT /agents/{agent_id}': {
    ...ofAgents(replaceAgent),
    ...guarded(replaceAgent),
    ...withBody(replaceAgent),
    200: plainly(replaceAgent),
    404: plainly(at('/agents/missing', replaceAgent)),
    412: plainly(but(replaceAgent, { headers: STALE })),
  },
  'DELETE /agents/{agent_id}': {
    ...ofAgents(deleteAgent),
    ...guarded(deleteAgent),
    204: plainly(deleteAgent),
    400: withBadHost(deleteAgent),
    404: plainly(at('/agents/missing', deleteAgent)),
    412: plainly(but(deleteAgent, { headers: STALE })),
  },
  'GET /agents/{agent_id}/tasks': {
    ...ofAgents(listTasks),
    ...guarded(listTasks),
    200: plainly(listTasks),
    400: plainly(at('/agents/:agent/tasks?skip=-1', listTasks)),
    404: plainly(at('/agents/missing/tasks', listTasks)),
  },
  'POST /agents/{agent_id}/tasks': {
    ...ofAgents(createTask),
    ...guarded(createTask),
    ...withBody(createTask),
    201: plainly(createTask),
    404: plainly(at('/agents/missing/tasks', createTask)),
    422: plainly(
      but(createTask, () => ({ body: { message: 'Late', expires_at: new Date(Date.now() - HOUR_MS).toISOString() } })),
    ),
  },
  'GET /agents/{agent_id}/tasks/{task_id}': {
    ...ofAgents(readTask),
    ...guarded(readTask),
    200: plainly(readTask),
    304: known(readTask),
    400: withBadHost(readTask),
    404: plainly(at('/agents/:agent/tasks/missing', readTask)),
  },
  'GET /api/skills': {
    ...ofRegistry(listSkills),
    200: plainly(listSkills),
    304: known(listSkills),
    400: plainly(at('/api/skills?limit=0', listSkills)),
  },
  'GET /api/skills/{skill_id}': {
    ...ofRegistry(readSkill),
    200: plainly(readSkill),
    304: known(readSkill),
    400: withBadHost(readSkill),
    404: plainly(at('/api/skills/missing', readSkill)),
  },
  'GET /api/categories': {
    ...ofRegistry(listCategories),
    200: plainly(listCategories),
    304: known(listCategories),
    400: withBadHost(listCategories),
  },
  'GET /registry.json': {
    ...ofRegistry(readRegistryFile),
    200: plainly(readRegistryFile),
    304: known(readRegistryFile),
    400: withBadHost(readRegistryFile),
  },
  'GET /api/registry/status': {
    ...ofRegistry(readRegistryStatus),
    200: plainly(readRegistryStatus),
    400: withBadHost(readRegistryStatus),
  },
  'POST /token': {
    ...withBody(signIn),
    200: plainly(signIn),
    400: plainly(but(signIn, { body: 'username=only' })),
    401: plainly(but(signIn, { body: 'username=nobody@example.com&password=wrong' })),
    500: { under: 'spoilt data', prepare: signIn },
    503: { under: 'lost store', prepare: signIn },
  },
  'GET /protected': {
    200: plainly(readProtected),
    401: plainly(anonymously('GET', '/protected')),
    403: plainly(but(readProtected, { headers: { 'x-api-key': 'wrong' } })),
    500: { under: 'spoilt data', prepare: readProtected },
    503: { under: 'lost store', prepare: readProtected },
  },
  'GET /health': {
    200: plainly(anonymously('GET', '/health')),
    500: broken('gateway', anonymously('GET', '/health')),
  },
  'GET /ready': {
    200: plainly(anonymously('GET', '/ready')),
    500: broken('gateway', anonymously('GET', '/ready')),
    503: { under: 'lost store', prepare: anonymously('GET', '/ready') },
  },
  'GET /openapi.json': page('/openapi.json'),
  'GET /docs': page('/docs'),
  'GET /redoc': page('/redoc'),
};
