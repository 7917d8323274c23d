import { useMemo } from 'preact/hooks';
import { fleet } from '../../api/fleet.ts';
import { type Query, useQuery } from '../../api/use-query.ts';
import { useAddress } from '../../frame/address.ts';
import { loadUPlot } from '../../plots/load-uplot.ts';
import { type StatsPlots, toStatsPlots } from '../../plots/stats-series.ts';
import { windowOf } from './series-window.ts';

const RELOAD_MS = 15_000;
const MIN_INTERVAL_MS = 2_000;

// Once the values are there, the plots need it.
if (/^\/console(\/agents\/[^/]+)?\/?$/.test(location.pathname)) loadUPlot().catch(() => undefined);

export interface SeriesQuery extends Pick<Query<unknown>, 'error' | 'isStale' | 'reload'> {
  plots: StatsPlots;
  hasData: boolean;
}

/** The series of the window that the address names, of the fleet or of one agent, kept up to date. */
export function useSeries(agentId?: string): SeriesQuery {
  const { window, step } = windowOf(useAddress().query);
  const query = { window, step, ...(agentId !== undefined && { agent_id: agentId }) };
  const { data, ...rest } = useQuery(
    `series ${window} ${agentId}`,
    (signal) => fleet.get('/stats/series', { params: { query }, signal }).then((answer) => answer.data),
    {
      everyMs: RELOAD_MS,
      minIntervalMs: MIN_INTERVAL_MS,
      reloadOn: ({ type, agent_id }) => type.startsWith('task.') && (agentId === undefined || agent_id === agentId),
    },
  );
  const plots = useMemo(() => toStatsPlots(data), [data]);
  return { ...rest, plots, hasData: data !== undefined };
}
