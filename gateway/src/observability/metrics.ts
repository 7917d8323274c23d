import type { Server } from 'node:http';
import { promisify } from 'node:util';
import { createHttpApp, finishApp } from '@agent-fleet/shared/http/app';
import type { Logger } from '@agent-fleet/shared/logger';
import { Counter, collectDefaultMetrics, Histogram, Registry } from 'prom-client';
import { type EndedRequest, KNOWN_METHODS } from './observe-requests.ts';
import { exposeGauge } from './scraped-metrics.ts';

/** Responses to a wait of 30 s take slightly longer than 30 s. */
const SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 35, 60];

export function createMetrics(logger: Logger) {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  const durations = new Histogram({
    name: 'http_request_duration_seconds',
    help: 'Time from the start of a request, after the admission queue, to the end of its response, without event streams',
    labelNames: ['method', 'route', 'status'],
    buckets: SECONDS,
    registers: [registry],
  });
  // In the histogram's sum, a stream of an hour would weigh as much as a million short requests.
  const streams = new Counter({
    name: 'http_event_streams_total',
    help: 'Ended event streams',
    labelNames: ['method', 'route', 'status'],
    registers: [registry],
  });
  const app = createHttpApp();
  app.get('/metrics', async (_req, res) => {
    res.type(registry.contentType).send(await registry.metrics());
  });
  return {
    /** The registry of all metrics of the gateway. */
    registry,
    observe(requests: readonly EndedRequest[]): void {
      for (const { method, status, durationMs, locals } of requests) {
        const route = locals.route?.template ?? 'unknown';
        const labels = { method: KNOWN_METHODS.has(method) ? method : 'other', route, status };
        if (locals.isEventStream) streams.inc(labels);
        else durations.observe(labels, durationMs / 1_000);
      }
    },
    /** `GET /metrics` in the Prometheus text format, for a listener on the internal network. */
    app: finishApp(app, logger),
  };
}

export function measureInFlight(registry: Registry, inFlight: () => number): void {
  exposeGauge(registry, {
    name: 'http_requests_in_flight',
    help: 'Requests without a complete response, including event streams and long polls',
    read: inFlight,
  });
}

export function measureConnections(registry: Registry, server: Server): void {
  exposeGauge(registry, {
    name: 'http_connections',
    help: 'Open client connections, including idle ones',
    read: promisify(server.getConnections.bind(server)),
  });
}
