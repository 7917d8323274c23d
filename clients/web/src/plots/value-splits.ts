import type { PlotUnit } from './plot-data.ts';

const MAX_STEPS = 4;
/** Room above the greatest value. */
const HEADROOM = 1.05;

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const LENGTHS = [
  ...[1, 2, 5, 10, 20, 50, 100, 200, 500, 1_000, 2_000, 5_000, 10_000, 15_000, 30_000],
  ...[1, 2, 5, 10, 15, 30].map((minutes) => minutes * MINUTE),
  ...[1, 2, 3, 6, 12, 24, 48, 120, 240].map((hours) => hours * HOUR),
];
const PERCENTS = [1, 2, 5, 10, 25];
const LEAST_TOP = { count: 4, ms: 100, percent: 10 };

/** Values of the grid lines from 0 to above `max`, at round distances; percentages end at 100. */
export function valueSplits(max: number, unit: PlotUnit): number[] {
  const top = Math.max(max * HEADROOM, LEAST_TOP[unit]);
  const limit = unit === 'percent' ? Math.min(top, 100) : top;
  const step = stepsOf(unit).find((candidate) => Math.ceil(limit / candidate) <= MAX_STEPS) ?? decimalStep(limit);
  return Array.from({ length: Math.ceil(limit / step) + 1 }, (_, index) => index * step);
}

function stepsOf(unit: PlotUnit): readonly number[] {
  if (unit === 'ms') return LENGTHS;
  return unit === 'percent' ? PERCENTS : [];
}

/** 1, 2 or 5 times a power of ten. */
function decimalStep(limit: number): number {
  const power = 10 ** Math.floor(Math.log10(limit / MAX_STEPS));
  return power * ([1, 2, 5].find((factor) => Math.ceil(limit / (factor * power)) <= MAX_STEPS) ?? 10);
}
