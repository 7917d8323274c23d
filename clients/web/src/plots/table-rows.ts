import type { PlotData } from './plot-data.ts';
import { SO_FAR } from './plot-readout.ts';
import { stepText } from './step-time.ts';
import { valueText } from './value-text.ts';

const MAX_ROWS = 60;

export interface PlotTable {
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
