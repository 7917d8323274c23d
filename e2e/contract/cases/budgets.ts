import { BAD_HOST, type ContractCases, ofAgents, type Prepare, withBody } from '../contract-case.ts';

const BUDGET = { amount: 5, period: 'day' };
/** Of a user of its own, who creates nothing: another case may delete it meanwhile. */
const pathOfNobody = () => `/budgets/user:${crypto.randomUUID()}`;

const list: Prepare = () => ({ method: 'GET', path: '/budgets' });
const put: Prepare = () => ({ method: 'PUT', path: pathOfNobody(), body: BUDGET });
const read: Prepare = async ({ api }) => {
  const path = pathOfNobody();
  await api.call('PUT', path, { body: BUDGET });
  return { method: 'GET', path };
};
const remove: Prepare = async (world) => ({ ...(await read(world)), method: 'DELETE' });

export const BUDGET_CASES: Record<string, ContractCases> = {
  'GET /budgets': ofAgents(list, { 200: list, 400: '/budgets?limit=0' }),
  'GET /budgets/{scope}': ofAgents(read, { 200: read, 400: BAD_HOST, 404: '/budgets/missing' }),
  'PUT /budgets/{scope}': withBody(put, { 200: put }),
  'DELETE /budgets/{scope}': ofAgents(remove, { 204: remove, 400: '/budgets/missing' }),
};
