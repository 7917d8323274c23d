import type { PlotData, PlotSeries } from './plot-data.ts';

/** Hidden until the values are there: they would move it. */
export function PlotLegend({ series, isLoading }: Pick<PlotData, 'series' | 'isLoading'>) {
  return (
    <span class="plot-legend" style={{ visibility: isLoading ? 'hidden' : 'visible' }}>
      {series.map((one) => (
        <span key={one.label}>
          <Swatch series={one} />
          {one.label}
          {one.summary !== undefined && <b>{one.summary}</b>}
        </span>
      ))}
    </span>
  );
}

export function Swatch({ series: { kind, color } }: { series: PlotSeries }) {
  return <i class="plot-swatch" data-kind={kind} style={{ color: `var(--color-${color})` }} />;
}
