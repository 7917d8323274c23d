import { createHistogram } from 'node:perf_hooks';

/** Collects durations in ms and computes percentiles, with a resolution of 1 µs. */
export function createTimes() {
  const microseconds = createHistogram();
  const at = (percent: number) => microseconds.percentile(percent) / 1_000;
  return {
    // The minimum value of a histogram is 1.
    add: (ms: number) => microseconds.record(Math.max(Math.round(ms * 1_000), 1)),
    figures: () => ({ p50Ms: at(50), p99Ms: at(99), maxMs: microseconds.max / 1_000 }),
  };
}
