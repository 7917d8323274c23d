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

/** The index that a key moves the cursor to; null hides it, undefined is none of its keys. */
export function indexAfterKey(key: string, index: number | null, length: number): number | null | undefined {
  const last = length - 1;
  const from = index ?? last;
  const moves: Record<string, number> = {
    ArrowLeft: -1,
    ArrowRight: 1,
    ArrowDown: -1,
    ArrowUp: 1,
    PageDown: -10,
    PageUp: 10,
  };
  if (key === 'Escape') return index === null ? undefined : null;
  if (key === 'Home') return 0;
  if (key === 'End') return last;
  const move = moves[key];
  return move === undefined ? undefined : Math.min(last, Math.max(0, from + move));
}

const MAX_ROWS = 60;

interface PlotTable {
  /** How the steps of a row were joined, if there is more than one. */
  note: string | undefined;
  rows: { time: string; values: string[] }[];
}

/** The values as text, newest first: counts of joined steps are added, of other values the greatest stands for them. */
export function toPlotTable({ times, series, unit, isPartial }: PlotData): PlotTable {
  const size = Math.max(1, Math.ceil(times.length / MAX_ROWS));
  const rows: PlotTable['rows'] = [];
  for (let end = times.length; end > 0; end -= size) {
    const start = Math.max(0, end - size);
    rows.push({
      time: `${stepText(times, start, end - 1)}${isPartial && end === times.length ? SO_FAR : ''}`,
      values: series.map(({ values }) => {
        const present = values.slice(start, end).filter((value) => value !== null);
        if (present.length === 0) return '–';
        return valueText(unit === 'count' ? present.reduce((a, b) => a + b) : Math.max(...present), unit);
      }),
    });
  }
  const joined = unit === 'count' ? 'added up' : 'the greatest value';
  return { note: size > 1 ? `Each row has ${size} steps, ${joined}.` : undefined, rows };
}
