import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from '@agent-fleet/shared/logger';
import { Counter, type Registry } from 'prom-client';
import type { EndedRequest } from '../observability/observe-requests.ts';
import { traceRequests } from './trace-requests.ts';
import type { TracingConfig } from './tracing-config.ts';

const CLOSE_WITHIN_MS = 2_000;

/** Sets the trace context of all requests and, with a `config`, exports their spans in the background. */
export function createTracing(config: TracingConfig | undefined, registry: Registry, logger: Logger) {
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
    /** Sets the trace context of each request; runs before routing. */
    handler: traceRequests(config.sampleRatio),
    /** Sends the spans of recorded requests to the collector. */
    observe(requests: readonly EndedRequest[]): void {
      void loading.then((queue) => queue?.add(requests));
    },
    /** Sends the remaining spans, for at most 2 s. */
    async close(): Promise<void> {
      const flushed = loading.then((queue) => queue?.close()).catch(() => undefined);
      await Promise.race([flushed, sleep(CLOSE_WITHIN_MS, undefined, { ref: false })]);
    },
  };
}
