import type { PlotData } from './plot-data.ts';
import { stepText } from './step-time.ts';
import { valueText } from './value-text.ts';

/** Behind the time of a step that has not ended. */
export const SO_FAR = ', so far';

export interface PlotReadout {
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
