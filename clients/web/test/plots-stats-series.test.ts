import { describe, expect, test } from '@jest/globals';
import { isEmptyPlot } from '../src/plots/plot-data.ts';
import { toStatsPlots } from '../src/plots/stats-series.ts';

const EMPTY = {
  created: 0,
  completed: 0,
  failed: 0,
  cancelled: 0,
  retried: 0,
  input_requested: 0,
  wait_ms: null,
  run_ms: null,
};
const STEPS = [
  { ...EMPTY, at: '2026-11-25T14:00:00Z', created: 1_500, completed: 6, failed: 2, wait_ms: { p50: 10, p95: 90 } },
  { ...EMPTY, at: '2026-11-25T14:01:00Z', input_requested: 3 },
  { ...EMPTY, at: '2026-11-25T14:02:00Z', completed: 2, run_ms: { p50: 300, p95: 700 } },
];

describe('the plots of GET /stats/series', () => {
  const plots = toStatsPlots({ steps: STEPS });
  const valuesOf = ({ series }: (typeof plots)['wait'], label: string) =>
    series.find((one) => one.label === label)?.values;

  test('counts are zero in steps without tasks, and their sums stand in the legend', () => {
    expect(valuesOf(plots.throughput, 'Created')).toEqual([1_500, 0, 0]);
    expect(valuesOf(plots.throughput, 'Completed')).toEqual([6, 0, 2]);
    expect(valuesOf(plots.throughput, 'Failed')).toEqual([2, 0, 0]);
    expect(plots.throughput.series.map(({ summary }) => summary)).toEqual(['1.5k', '8', '2', '3']);
  });

  test('percentiles and the failure rate have gaps where nothing was measured', () => {
    expect(valuesOf(plots.wait, 'p50')).toEqual([10, null, null]);
    expect(valuesOf(plots.wait, 'p95')).toEqual([90, null, null]);
    expect(valuesOf(plots.run, 'p95')).toEqual([null, null, 700]);
    expect(valuesOf(plots.failureRate, 'Failed')).toEqual([25, null, 0]);
    expect(plots.failureRate.series[0]?.summary).toBe('20%');
  });

  test('times are seconds, and the last step is one that has not ended', () => {
    expect(plots.throughput.times).toEqual(STEPS.map(({ at }) => Date.parse(at) / 1_000));
    expect(plots.throughput.isPartial).toBe(true);
  });

  test('an answer that has not arrived has the series of one that has', () => {
    const loading = toStatsPlots(undefined);
    expect(loading.throughput).toMatchObject({ isLoading: true, times: [] });
    expect(loading.throughput.series.map(({ label }) => label)).toEqual([
      'Created',
      'Completed',
      'Failed',
      'Input requested',
    ]);
    expect(loading.failureRate.series[0]?.summary).toBe('–');
  });

  test('counts of zero are an empty plot, and a failure rate of zero is not', () => {
    const idle = toStatsPlots({ steps: [{ ...EMPTY, at: '2026-11-25T14:00:00Z' }] });
    expect(Object.values(idle).map(isEmptyPlot)).toEqual([true, true, true, true]);
    const done = toStatsPlots({ steps: [{ ...EMPTY, at: '2026-11-25T14:00:00Z', completed: 1 }] });
    expect(Object.values(done).map(isEmptyPlot)).toEqual([false, true, true, false]);
  });
});
