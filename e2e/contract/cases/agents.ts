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

const list: Prepare = () => ({ method: 'GET', path: '/agents' });
const create: Prepare = ({ api }) => ({ method: 'POST', path: '/agents', body: { name: 'Ada', type: api.types[0] } });
const read: Prepare = ({ agent }) => ({ method: 'GET', path: `/agents/${agent.id}` });
const replace: Prepare = ({ api, agent }) => ({
  method: 'PUT',
  path: `/agents/${agent.id}`,
  body: { name: 'Grace', type: api.types[0] },
});
const remove: Prepare = async ({ api }) => ({ method: 'DELETE', path: `/agents/${(await api.createAgent()).id}` });

export const AGENT_CASES: Record<string, ContractCases> = {
  'GET /agents': {
    ...ofAgents(list),
    ...guarded(list),
    200: plainly(list),
    400: plainly(at('/agents?limit=0', list)),
  },
  'POST /agents': {
    ...ofAgents(create),
    ...guarded(create),
    ...withBody(create),
    ...idempotently(create, ({ api }) => ({ name: 'Eve', type: api.types[0] })),
    201: plainly(create),
  },
  'GET /agents/{agent_id}': {
    ...ofAgents(read),
    ...guarded(read),
    200: plainly(read),
    304: known(read),
    400: withBadHost(read),
    404: plainly(at('/agents/missing', read)),
  },
  'PUT /agents/{agent_id}': {
    ...ofAgents(replace),
    ...guarded(replace),
    ...withBody(replace),
    200: plainly(replace),
    404: plainly(at('/agents/missing', replace)),
    412: plainly(but(replace, { headers: STALE })),
  },
  'DELETE /agents/{agent_id}': {
    ...ofAgents(remove),
    ...guarded(remove),
    204: plainly(remove),
    400: withBadHost(remove),
    404: plainly(at('/agents/missing', remove)),
    412: plainly(but(remove, { headers: STALE })),
  },
};
