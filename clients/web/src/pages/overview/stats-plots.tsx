import { ErrorNotice } from '../../components/notice.tsx';
import { Plot } from '../../plots/plot.tsx';
import type { SeriesQuery } from './use-series.ts';

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
