import type { Registry } from 'prom-client';

/** The metrics of one process, as values that can be sent. */
export type MetricValues = Awaited<ReturnType<Registry['getMetricsAsJSON']>>;

/** `leave`: another process has taken the place; `send_metrics`: answer with `metrics`. */
export type ToWorker = { type: 'leave' } | { type: 'send_metrics' };

/** `failed`: why it does not start, for people; `metrics`: when asked, and at the end unasked. */
export type FromWorker = { type: 'failed'; reason: string } | { type: 'metrics'; metrics: MetricValues };
