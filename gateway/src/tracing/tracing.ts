import type { Logger } from '@agent-fleet/shared/logger';
import { exportSpans } from '@agent-fleet/shared/tracing/export-spans';
import type { TracingConfig } from '@agent-fleet/shared/tracing/tracing-config';
import type { Registry } from 'prom-client';
import type { EndedRequest } from '../observability/observe-requests.ts';
import { toSpans } from './request-spans.ts';
import { traceRequests } from './trace-requests.ts';

/** Sets the trace context of all requests and, with a `config`, exports their spans in the background. */
export function createTracing(config: TracingConfig | undefined, registry: Registry, logger: Logger) {
  if (!config) return { handler: traceRequests(), observe: () => undefined, close: async () => undefined };
  const spans = exportSpans(config, 'gateway', registry, logger);
  return {
    /** Sets the trace context of each request; runs before routing. */
    handler: traceRequests(config.sampleRatio),
    /** Sends the spans of recorded requests to the collector. */
    observe(requests: readonly EndedRequest[]): void {
      const ended = requests.flatMap((request) => {
        const { span, route } = request.locals;
        return span && !route?.isProbe ? toSpans(request, span) : [];
      });
      if (ended.length > 0) spans.add(ended);
    },
    /** Sends the remaining spans, for at most 2 s. */
    close: spans.close,
  };
}
