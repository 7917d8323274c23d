import { BAD_HOST, type ContractCases, ofAgents, type Prepare, withBody } from '../contract-case.ts';

const BUDGET = { amount: 5, period: 'day' };
/** Of a user who creates nothing. */
const NOBODY = '/budgets/user:01997e6a-1f0e-7a3c-8d25-5b7e9c4f2a18';

const list: Prepare = () => ({ method: 'GET', path: '/budgets' });
const put: Prepare = () => ({ method: 'PUT', path: NOBODY, body: BUDGET });
const read: Prepare = async ({ api }) => {
  await api.call('PUT', NOBODY, { body: BUDGET });
  return { method: 'GET', path: NOBODY };
};
const remove: Prepare = () => ({ method: 'DELETE', path: NOBODY });

export const BUDGET_CASES: Record<string, ContractCases> = {
  'GET /budgets': ofAgents(list, { 200: list, 400: '/budgets?limit=0' }),
  'GET /budgets/{scope}': ofAgents(read, { 200: read, 400: BAD_HOST, 404: '/budgets/missing' }),
  'PUT /budgets/{scope}': withBody(put, { 200: put }),
  'DELETE /budgets/{scope}': ofAgents(remove, { 204: remove, 400: '/budgets/missing' }),
};
