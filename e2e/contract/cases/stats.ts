import { BAD_HOST, type ContractCases, ofAgents, type Prepare } from '../contract-case.ts';

const readStats: Prepare = () => ({ method: 'GET', path: '/stats' });
/** Of a fleet in which a task was created. */
const readSeries: Prepare = () => ({ method: 'GET', path: '/stats/series' });

/** Of an agent, one of whose attempts has reported usage. */
const readUsage: Prepare = async ({ api }) => {
  const { id } = await api.createAgent();
  const usage = { input_tokens: 2, output_tokens: 1 };
  await api.report(await api.createRunning(id), { status: 'completed', usage, model: 'x' });
  return { method: 'GET', path: `/agents/${id}/usage` };
};

/** The same, over time. */
const readSpend: Prepare = async (context) => {
  const { path } = await readUsage(context);
  return { method: 'GET', path: `/stats/spend?agent_id=${path.split('/')[2]}` };
};

export const STATS_CASES: Record<string, ContractCases> = {
  'GET /stats': ofAgents(readStats, { 200: readStats, 400: BAD_HOST }),
  'GET /agents/{agent_id}/usage': ofAgents(readUsage, { 200: readUsage, 400: BAD_HOST, 404: '/agents/missing/usage' }),
  'GET /stats/series': ofAgents(readSeries, { 200: readSeries, 400: '/stats/series?step=90' }),
  'GET /stats/spend': ofAgents(readSpend, {
    200: readSpend,
    '200 text/csv': { headers: { accept: 'text/csv' } },
    400: '/stats/spend?step=week',
  }),
};
