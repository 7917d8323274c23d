import { compact, count } from '../text/numbers.ts';
import { clockTime, dayAndMonth, duration, hoursAndMinutes } from '../text/times.ts';

/** `percent` is from 0 to 100. */
export type PlotUnit = 'count' | 'ms' | 'percent';

const DAY_SECONDS = 86_400;

/** Ticks of the time axis, in local time: the hour, at midnight the day. */
export function timeTicks(seconds: readonly number[]): string[] {
  return seconds.map((time) => {
    const date = new Date(time * 1_000);
    return date.getHours() === 0 && date.getMinutes() === 0 ? dayAndMonth(date) : hoursAndMinutes(date);
  });
}

/** When a step was, in local time, with the day if the steps are of more than one: `24 Nov, 14:05–14:10`. */
export function stepText(times: readonly number[], index: number): string {
  const step = stepSeconds(times);
  const from = times[index] ?? 0;
  const [start, end] = [new Date(from * 1_000), new Date((from + step) * 1_000)];
  if (step % DAY_SECONDS === 0) return dayAndMonth(start);
  const day = spansDays(times) ? `${dayAndMonth(start)}, ` : '';
  return `${day}${hoursAndMinutes(start)}${step > 60 ? `–${hoursAndMinutes(end)}` : ''}`;
}

export function stepSeconds([first = 0, second = first + 60]: readonly number[]): number {
  return second - first;
}

function spansDays(times: readonly number[]): boolean {
  const [first = 0, last = 0] = [times[0], times.at(-1)];
  return new Date(first * 1_000).toDateString() !== new Date(last * 1_000).toDateString();
}

/** A local time, to the second: `24 Nov, 14:05:09`. */
export function momentText(ms: number): string {
  const time = new Date(ms);
  return `${dayAndMonth(time)}, ${clockTime(time)}`;
}

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DECIMALS = Array.from({ length: 36 }, (_, at) => ([1, 2, 5][at % 3] as number) * 10 ** Math.floor(at / 3));
/** Distances of grid lines. */
export const INCREMENTS: Record<PlotUnit, number[]> = {
  count: DECIMALS,
  percent: [1, 2, 5, 10, 25, 50],
  ms: [
    ...DECIMALS.filter((ms) => ms <= 10_000),
    ...[15_000, 30_000],
    ...[1, 2, 5, 10, 15, 30].map((minutes) => minutes * MINUTE),
    ...[1, 2, 3, 6, 12].map((hours) => hours * HOUR),
    ...DECIMALS.slice(0, 12).map((days) => days * 24 * HOUR),
  ],
};

/** Room above the greatest value. */
const HEADROOM = 1.05;
const LEAST_TOP = { count: 4, ms: 100, percent: 10 };

/** The upper end of the axis; percentages end at 100. */
export function topOf(max: number, unit: PlotUnit): number {
  const top = Math.max(max * HEADROOM, LEAST_TOP[unit]);
  return unit === 'percent' ? Math.min(top, 100) : top;
}

const UNITS = [
  ['d', 86_400_000],
  ['h', 3_600_000],
  ['min', 60_000],
  ['s', 1_000],
] as const;

/** A value with its unit, as the table and the readout say it. */
export function valueText(value: number, unit: PlotUnit): string {
  if (unit === 'count') return count(value);
  return unit === 'percent' ? percentText(value) : duration(value);
}

/** A value where there is little room: `12.5k`, `1.5 min`. */
export function shortValueText(value: number, unit: PlotUnit): string {
  if (value === 0) return '0';
  if (unit === 'count') return compact(value);
  return unit === 'percent' ? percentText(value) : oneUnit(value);
}

function percentText(value: number): string {
  return `${Number(value >= 1 ? value.toFixed(1) : value.toPrecision(2))}%`;
}

function oneUnit(ms: number): string {
  const [unit, size] = UNITS.find(([, length]) => ms >= length) ?? ['ms', 1];
  return `${Number((ms / size).toFixed(1))} ${unit}`;
}
