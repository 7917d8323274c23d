import type { Registry } from 'prom-client';

/** The metrics of one process, as serialisable values. */
export type MetricValues = Awaited<ReturnType<Registry['getMetricsAsJSON']>>;

/** `leave`: another process replaces this one; `send_metrics`: reply with `metrics`. */
export type ToWorker = { type: 'leave' } | { type: 'send_metrics' };

/** `failed`: why the process does not start, as a text; `metrics`: on request, and once before it exits. */
export type FromWorker = { type: 'failed'; reason: string } | { type: 'metrics'; metrics: MetricValues };
