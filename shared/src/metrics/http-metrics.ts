import type { RequestHandler, Response } from 'express';
import { Counter, Histogram, type Registry } from 'prom-client';
import { exposeGauge } from './scraped-metrics.ts';

/** All other methods share one name in metrics, as clients may invent any. */
export const KNOWN_METHODS = new Set('GET HEAD POST PUT PATCH DELETE OPTIONS TRACE CONNECT'.split(' '));
/** Responses to a wait of 30 s take slightly longer than 30 s. */
const SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 35, 60];
/** The connection closed before a response began, as in nginx. */
export const NO_RESPONSE_STATUS = 499;

/** A request whose response has ended or whose client has disconnected. */
export interface MeasuredRequest {
  method: string;
  /** With `{name}` for each parameter; undefined for an unknown path. */
  route: string | undefined;
  status: number;
  durationMs: number;
  isEventStream: boolean;
}

/** Registers the metrics of requests; returns the function that records one. `since`: from when durations count. */
export function createRequestMetrics(registry: Registry, since: string): (request: MeasuredRequest) => void {
  const durations = new Histogram({
    name: 'http_request_duration_seconds',
    help: `Time from ${since} to the end of its response, without event streams`,
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
  return ({ method, route = 'unknown', status, durationMs, isEventStream }) => {
    const labels = { method: KNOWN_METHODS.has(method) ? method : 'other', route, status };
    if (isEventStream) streams.inc(labels);
    else durations.observe(labels, durationMs / 1_000);
  };
}

export function measureInFlight(registry: Registry, inFlight: () => number): void {
  exposeGauge(registry, {
    name: 'http_requests_in_flight',
    help: 'Requests without a complete response, including event streams and long polls',
    read: inFlight,
  });
}

/** Measures the requests of a service; runs before everything else. Takes 0.6 µs per request (measured). */
export function measureRequests(registry: Registry): RequestHandler {
  const observe = createRequestMetrics(registry, 'the start of a request');
  let inFlight = 0;
  measureInFlight(registry, () => inFlight);
  return (req, res, next) => {
    const startedAtMs = performance.now();
    inFlight++;
    res.on('close', () => {
      inFlight--;
      observe({
        method: req.method,
        // Paths outside the router have no template.
        route: res.locals.pathTemplate ?? req.route?.path,
        status: res.headersSent ? res.statusCode : NO_RESPONSE_STATUS,
        durationMs: performance.now() - startedAtMs,
        isEventStream: isEventStream(res),
      });
    });
    next();
  };
}

function isEventStream(res: Response): boolean {
  return String(res.getHeader('content-type') ?? '').startsWith('text/event-stream');
}
