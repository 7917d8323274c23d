import cluster from 'node:cluster';
import { once } from 'node:events';
import type { Logger } from '@agent-fleet/shared/logger';
import { createMetricsApp } from '@agent-fleet/shared/metrics/metrics-app';
import { exposeCounter, exposeGauge } from '@agent-fleet/shared/metrics/scraped-metrics';
import type { Express } from 'express';
import { AggregatorRegistry, Registry } from 'prom-client';
import { type FromChild, type MetricValues, send } from './child-process.ts';

/** A child process that does not reply in time counts with its last metrics. */
const SEND_DEADLINE_MS = 1_000;

/**
 * `GET /metrics` of all child processes: sums counters and histograms, including those of ended ones so that no counter
 * decreases; aggregates gauges by their `aggregator`. prom-client's own collection fails when one does not reply.
 */
export function createSharedMetrics(logger: Logger): Express {
  const listening = new Set<number>();
  const received = new Map<number, MetricValues>();
  let ofEnded: Promise<MetricValues> = Promise.resolve([]);
  const own = new Registry();
  exposeGauge(own, {
    name: 'gateway_processes',
    help: 'Processes of the gateway that listen',
    read: () => listening.size,
  });
  let ends = 0;
  exposeCounter(own, {
    name: 'gateway_process_ends_total',
    help: 'Processes of the gateway that have ended after they listened, those that were replaced among them',
    read: () => ends,
  });

  cluster.on('listening', ({ id }) => listening.add(id));
  cluster.on('message', ({ id }, message: FromChild) => {
    if (message.type === 'metrics') received.set(id, message.metrics);
  });
  cluster.on('exit', ({ id }) => {
    const last = (received.get(id) ?? []).filter(isCumulative);
    received.delete(id);
    if (listening.delete(id)) ends++;
    ofEnded = ofEnded.then((sum) => AggregatorRegistry.aggregate([sum, last]).getMetricsAsJSON());
  });

  async function collect(): Promise<Registry> {
    await Promise.all([...listening].map(requestMetrics));
    const sets = [await own.getMetricsAsJSON(), await ofEnded, ...received.values()];
    return AggregatorRegistry.aggregate(sets);
  }

  return createMetricsApp(collect, logger);
}

/** Resolves when the child process has sent its metrics, or after a second. */
async function requestMetrics(id: number): Promise<void> {
  const worker = cluster.workers?.[id];
  if (!worker) return;
  const reply = once(worker, 'message', { signal: AbortSignal.timeout(SEND_DEADLINE_MS) });
  send(worker, { type: 'send_metrics' });
  await reply.catch(() => {});
}

function isCumulative({ type }: MetricValues[number]): boolean {
  // prom-client declares its types as a numeric enum, but they are strings.
  return ['counter', 'histogram'].includes(String(type));
}
