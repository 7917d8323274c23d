import { BAD_HOST, type ContractCases, ofAgents, type Prepare } from '../contract-case.ts';

const readStats: Prepare = () => ({ method: 'GET', path: '/stats' });
/** Of a fleet in which a task was created. */
const readSeries: Prepare = () => ({ method: 'GET', path: '/stats/series' });

export const STATS_CASES: Record<string, ContractCases> = {
  'GET /stats': ofAgents(readStats, { 200: readStats, 400: BAD_HOST }),
  'GET /stats/series': ofAgents(readSeries, { 200: readSeries, 400: '/stats/series?step=90' }),
};
