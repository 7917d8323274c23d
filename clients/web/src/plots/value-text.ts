import { compact, count } from '../text/numbers.ts';
import { duration } from '../text/times.ts';
import type { PlotUnit } from './plot-data.ts';

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
