import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from '@agent-fleet/shared/logger';
import type { RequestHandler } from 'express';
import { Counter, type Registry } from 'prom-client';
import type { RequestObserver } from '../observability/observe-requests.ts';
import { traceRequests } from './trace-requests.ts';
import type { TracingConfig } from './tracing-config.ts';

const CLOSE_WITHIN_MS = 2_000;

export interface Tracing {
  /** Sets the trace context of each request; runs before routing. */
  handler: RequestHandler;
  /** Sends the spans of recorded requests to the collector. */
  observe: RequestObserver;
  /** Sends the remaining spans, for at most 2 s. */
  close(): Promise<void>;
}

/** Sets the trace context of all requests and, with a `config`, exports their spans in the background. */
export function createTracing(config: TracingConfig | undefined, registry: Registry, logger: Logger): Tracing {
  if (!config) return { handler: traceRequests(), observe: () => undefined, close: async () => undefined };
  const spans = new Counter({
    name: 'gateway_spans_total',
    help: 'Spans that were exported, failed to export, or were dropped because too many waited',
    labelNames: ['result'],
    registers: [registry],
  });
  const loading = import('./span-exporter.ts')
    .then(({ createSpanQueue }) => createSpanQueue(config, (count, result) => spans.inc({ result }, count), logger))
    .catch((error: unknown) => void logger.error({ err: error }, 'failed to load tracing'));
  return {
    handler: traceRequests(config.sampleRatio),
    observe(requests) {
      void loading.then((queue) => queue?.add(requests));
    },
    async close() {
      const flushed = loading.then((queue) => queue?.close()).catch(() => undefined);
      await Promise.race([flushed, sleep(CLOSE_WITHIN_MS, undefined, { ref: false })]);
    },
  };
}
