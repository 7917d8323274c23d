import type { components } from '@agent-fleet/sdk';
import type { PlotData, PlotSeries } from './plot-data.ts';
import { shortValueText } from './plot-values.ts';

type Series = components['schemas']['Series'];
type Step = components['schemas']['SeriesStep'];
type CountName = 'input_requested' | 'created' | 'completed' | 'failed';

const NOT_KNOWN = '–';

export interface StatsPlots {
  throughput: PlotData;
  /** From creation to the first lease. */
  wait: PlotData;
  /** Length of attempts. */
  run: PlotData;
  /** Failed among those that completed or failed. */
  failureRate: PlotData;
}

/** The plots of an answer of `GET /stats/series`, which may not have arrived. Its last step is still going on. */
export function toStatsPlots(answer: Pick<Series, 'steps'> | undefined): StatsPlots {
  const steps = answer?.steps ?? [];
  const times = steps.map(({ at }) => Date.parse(at) / 1_000);
  const shared = { times, isPartial: true, isLoading: answer === undefined };
  return {
    throughput: { ...shared, unit: 'count', series: throughputSeries(steps) },
    wait: { ...shared, unit: 'ms', series: percentileSeries(steps, 'wait_ms') },
    run: { ...shared, unit: 'ms', series: percentileSeries(steps, 'run_ms') },
    failureRate: { ...shared, unit: 'percent', series: [failureRateSeries(steps)] },
  };
}

function throughputSeries(steps: readonly Step[]): PlotSeries[] {
  return [
    { label: 'Created', color: 'series-1', kind: 'line', ...countsOf(steps, 'created') },
    { label: 'Completed', color: 'series-2', kind: 'area', ...countsOf(steps, 'completed') },
    { label: 'Failed', color: 'series-3', kind: 'bars', ...countsOf(steps, 'failed') },
    { label: 'Input requested', color: 'series-5', kind: 'line', ...countsOf(steps, 'input_requested') },
  ];
}

function countsOf(steps: readonly Step[], name: CountName) {
  const values = steps.map((step) => step[name]);
  return { values, summary: steps.length > 0 ? shortValueText(sum(values), 'count') : NOT_KNOWN };
}

function percentileSeries(steps: readonly Step[], name: 'wait_ms' | 'run_ms'): PlotSeries[] {
  return [
    { label: 'p95', color: 'series-5', kind: 'line', values: steps.map((step) => step[name]?.p95 ?? null) },
    { label: 'p50', color: 'series-1', kind: 'area', values: steps.map((step) => step[name]?.p50 ?? null) },
  ];
}

function failureRateSeries(steps: readonly Step[]): PlotSeries {
  const whole = rate(sum(steps.map(({ completed }) => completed)), sum(steps.map(({ failed }) => failed)));
  return {
    label: 'Failed',
    color: 'series-3',
    kind: 'bars',
    values: steps.map(({ completed, failed }) => rate(completed, failed)),
    summary: whole === null ? NOT_KNOWN : shortValueText(whole, 'percent'),
  };
}

function rate(completed: number, failed: number): number | null {
  return completed + failed === 0 ? null : (failed / (completed + failed)) * 100;
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}
