/** `percent` is from 0 to 100. */
export type PlotUnit = 'count' | 'ms' | 'percent';

/** A colour of `tokens.css`, without `--color-`. */
export type PlotColor = `series-${1 | 2 | 3 | 4 | 5}` | 'ok' | 'warn' | 'error' | 'info' | 'muted';

export interface PlotSeries {
  label: string;
  /** One for each time; null is a gap. */
  values: readonly (number | null)[];
  color: PlotColor;
  kind: 'line' | 'bars' | 'area';
  /** What the legend says of the whole window. */
  summary?: string;
}

export interface PlotData {
  /** Beginnings of the steps, in seconds since 1970, at even distances. */
  times: readonly number[];
  series: readonly PlotSeries[];
  unit: PlotUnit;
  /** The last step has not ended: it is drawn paler. */
  isPartial?: boolean;
  /** The values have not arrived. */
  isLoading?: boolean;
}

/** No values, or counts that are all zero: a share of 0 % and a time of 0 ms were measured. */
export function isEmptyPlot({ series, unit }: PlotData): boolean {
  return series.every(({ values }) => values.every((value) => value === null || (unit === 'count' && value === 0)));
}
