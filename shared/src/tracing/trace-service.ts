import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import type { Response } from 'express';
import type { Registry } from 'prom-client';
import { REQUEST_ID_HEADER } from '../http/request-id.ts';
import type { App } from '../http/serve.ts';
import type { Logger } from '../logger.ts';
import { NO_RESPONSE_STATUS } from '../metrics/http-metrics.ts';
import { createSpanId, isSampled, readTraceparent, readTracestate, spanIdOf, toSampled } from '../trace-context.ts';
import { exportSpans } from './export-spans.ts';
import { toHttpAttributes, toSpanName } from './http-span.ts';
import type { EndedSpan } from './span.ts';
import type { TracingConfig } from './tracing-config.ts';

/** The tracing of a service behind the gateway. Without a `config` it costs nothing. */
export function createServiceTracing(
  config: TracingConfig | undefined,
  service: string,
  registry: Registry,
  logger: Logger,
) {
  if (!config) return { trace: (app: App) => app, close: async () => undefined };
  const spans = exportSpans(config, service, registry, logger);
  return {
    /** Returns an app that also records a SERVER span for each request of a trace that the gateway records. */
    trace(app: App): App {
      const listener: RequestListener = (req, res) => {
        const traceparent = readTraceparent(String(req.headers.traceparent));
        if (traceparent !== undefined && isSampled(traceparent)) recordSpan(req, res, traceparent);
        app(req, res);
      };
      return Object.assign(listener, { request: app.request, response: app.response });
    },
    /** Sends the remaining spans, for at most 2 s. */
    close: spans.close,
  };

  function recordSpan(req: IncomingMessage, res: ServerResponse, parent: string): void {
    const startedAtMs = performance.timeOrigin + performance.now();
    const began = performance.now();
    const { tracestate } = req.headers;
    res.on('close', () => {
      spans.add([
        {
          ...toServerSpan(req, res as Response),
          traceparent: toSampled(parent, createSpanId()),
          parentId: spanIdOf(parent),
          tracestate: tracestate === undefined ? undefined : readTracestate(String(tracestate)),
          startedAtMs,
          durationMs: performance.now() - began,
        },
      ]);
    });
  }
}

/** Not the path itself, which the gateway's span has: a parameter may be a secret. */
function toServerSpan(
  { method = '', headers }: IncomingMessage,
  res: Response,
): Pick<EndedSpan, 'kind' | 'name' | 'isError' | 'attributes'> {
  // Only responses that Express sends have `locals`.
  const { pathTemplate } = res.locals ?? {};
  const status = res.headersSent ? res.statusCode : NO_RESPONSE_STATUS;
  return {
    kind: 'server',
    name: toSpanName(method, pathTemplate),
    isError: status >= 500,
    attributes: {
      ...toHttpAttributes(method, status),
      'http.route': pathTemplate,
      'url.scheme': 'http',
      'fleet.request_id': headers[REQUEST_ID_HEADER]?.toString(),
    },
  };
}
