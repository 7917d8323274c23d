import { type PlotUnit, stepText, valueText } from './plot-values.ts';

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

/** Behind the time of a step that has not ended. */
const SO_FAR = ', so far';

interface PlotReadout {
  time: string;
  values: { label: string; text: string }[];
}

/** What the plot says of one step. */
export function toReadout({ times, series, unit, isPartial }: PlotData, index: number): PlotReadout {
  const isGoingOn = isPartial && index === times.length - 1;
  return {
    time: `${stepText(times, index)}${isGoingOn ? SO_FAR : ''}`,
    values: series.map(({ label, values }) => {
      const value = values[index] ?? null;
      return { label, text: value === null ? 'none' : valueText(value, unit) };
    }),
  };
}

export function readoutSentence({ time, values }: PlotReadout): string {
  return [time, ...values.map(({ label, text }) => `${label} ${text}`)].join(', ');
}
