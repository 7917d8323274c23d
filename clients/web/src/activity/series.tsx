import { useMemo } from 'preact/hooks';
import { PREFIX } from '../api/prefix.ts';
import { useGet } from '../api/use-get.ts';
import type { Query } from '../api/use-query.ts';
import { ErrorNotice } from '../components/notice.tsx';
import { useAddress } from '../frame/address.ts';
import { Plot } from '../plots/plot.tsx';
import { loadUPlot } from '../plots/plot-view.ts';
import { type StatsPlots as Plots, toStatsPlots } from '../plots/stats-series.ts';
import { WINDOWS, windowOf } from '../requests/series.ts';
import './activity.css';

/** How much was done, how long tasks waited and ran, and how many failed. */
export function StatsPlots({ series, height = 150 }: { series: SeriesQuery; height?: number }) {
  const { plots, error, hasData, isStale, reload } = series;
  if (error && (isStale || !hasData)) {
    return <ErrorNotice title="The plots could not be loaded" error={error} onRetry={reload} />;
  }
  return (
    <div class={`plot-grid${isStale && hasData ? ' is-stale' : ''}`}>
      <Plot title="Throughput" height={height} {...plots.throughput} />
      <Plot title="Failures" height={height} {...plots.failureRate} emptyText="No task ended in this window" />
      <Plot title="Waiting time" height={height} {...plots.wait} emptyText="No task began in this window" />
      <Plot title="Run time" height={height} {...plots.run} emptyText="No attempt ended in this window" />
    </div>
  );
}

/** How far back the plots go; the address keeps it. */
export function WindowButtons() {
  const { query, set } = useAddress();
  const shown = windowOf(query);
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset is for the fields of a form.
    <div class="segments" role="group" aria-label="Window of the plots">
      {WINDOWS.map((one, index) => (
        <button
          key={one.window}
          type="button"
          class="segment"
          aria-pressed={one === shown}
          onClick={() => set({ window: index === 0 ? undefined : String(one.window) }, true)}
        >
          {one.label}
        </button>
      ))}
    </div>
  );
}

const RELOAD_MS = 15_000;
const MIN_INTERVAL_MS = 2_000;

// Once the values are there, the plots need it.
if (/^\/console(\/agents\/[^/]+)?\/?$/.test(location.pathname.slice(PREFIX.length))) loadUPlot().catch(() => undefined);

export interface SeriesQuery extends Pick<Query<unknown>, 'error' | 'isStale' | 'reload'> {
  plots: Plots;
  hasData: boolean;
}

/** The series of the window that the address names, of the fleet or of one agent, kept up to date. */
export function useSeries(agentId?: string): SeriesQuery {
  const { window, step } = windowOf(useAddress().query);
  const query = { window, step, ...(agentId !== undefined && { agent_id: agentId }) };
  const { data, ...rest } = useGet(
    '/stats/series',
    { query },
    {
      everyMs: RELOAD_MS,
      minIntervalMs: MIN_INTERVAL_MS,
      reloadOn: ({ type, agent_id }) => type.startsWith('task.') && (agentId === undefined || agent_id === agentId),
    },
  );
  const plots = useMemo(() => toStatsPlots(data), [data]);
  return { ...rest, plots, hasData: data !== undefined };
}
