import type { IncomingMessage, RequestListener } from 'node:http';
import { closeAfterEarlyResponse } from '@agent-fleet/shared/http/connections/lingering-close';
import { type HttpError, overloaded } from '@agent-fleet/shared/http/errors';
import { REQUEST_ID_HEADER, requestIdFrom } from '@agent-fleet/shared/http/request-id';
import type { CreateScheduler } from '@agent-fleet/shared/http/request-scheduler';
import { hasBody } from '@agent-fleet/shared/http/serve';
import type { Logger } from '@agent-fleet/shared/logger';
import { exposeCounter, exposeGauge } from '@agent-fleet/shared/metrics/scraped-metrics';
import type { Registry } from 'prom-client';
import { responseHeaders } from '../response-headers.ts';
import { AdmissionQueue } from './admission-queue.ts';

/** A few milliseconds of work. */
const MAX_PER_TICK = 64;
/**
 * About half a second of work. A bound on the time alone has two equilibria: once requests are refused, clients that
 * retry at once keep the process busy with refusals, and the waiting requests wait longer.
 */
const DEFAULT_MAX_LENGTH = 5_000;
/** For a process that is slow for another reason. */
const DEFAULT_MAX_WAIT_MS = 2_000;
const REPORT_EVERY_MS = 1_000;
/** Probes are always admitted: a load balancer would consider the gateway dead. */
const ALWAYS_ADMITTED = /^\/(?:health|ready)(?:\?|$)/;

const REFUSAL = overloaded('Too many requests at once; try again');
const BODY = JSON.stringify(REFUSAL.body);
const HEADERS = [
  ...Object.entries(REFUSAL.headers).flat(),
  ...['content-type', 'application/json; charset=utf-8'],
  ...['content-length', String(Buffer.byteLength(BODY))],
];

interface Options {
  logger: Logger;
  registry: Registry;
  /** Requests and paused connections in the queue. Default: 5,000. */
  maxLength?: number;
  /** Wait of the first request in the queue. Default: 2,000. */
  maxWaitMs?: number;
  /** Requests started in one turn of the event loop. Default: 64. */
  maxPerTick?: number;
  /** The CORS headers of an error, names and values in turn. Default: none. */
  originHeaders?: (req: IncomingMessage) => string[];
  /** Called for each refused request, once it is answered. */
  onShed?: (req: IncomingMessage, requestId: string, error: HttpError) => void;
}

/**
 * While the admission queue is full, or holds more than starts in a tick and its first request has waited too long,
 * refuses new requests with 503, so that the admitted ones are answered in time. Counts refusals, and logs a summary
 * once a second.
 */
export function shedLoad(options: Options) {
  const { logger, registry, maxPerTick = MAX_PER_TICK } = options;
  const { maxLength = DEFAULT_MAX_LENGTH, maxWaitMs = DEFAULT_MAX_WAIT_MS } = options;
  let refused = 0;
  let reported = 0;
  let queue: Pick<AdmissionQueue, 'length' | 'waitMs'> = { length: 0, waitMs: 0 };

  const reporting = setInterval(() => {
    if (refused === reported) return;
    logger.warn({ requests: refused - reported, wait_ms: Math.round(queue.waitMs) }, 'shedding load');
    reported = refused;
  }, REPORT_EVERY_MS).unref();
  exposeCounter(registry, {
    name: 'gateway_shed_total',
    help: 'Requests refused because the admission queue was full or too slow',
    read: () => refused,
  });
  exposeGauge(registry, {
    name: 'gateway_requests_waiting',
    help: 'Requests in the admission queue, and connections paused until their next request is read',
    read: () => queue.length,
  });

  // Cheap, as a refusal takes its time from the admitted requests.
  const refuse: RequestListener = (req, res) => {
    // The client has gone, or the rest of its body was not HTTP.
    if (!res.socket?.writable) return;
    refused++;
    if (!req.complete) closeAfterEarlyResponse(res);
    const requestId = requestIdFrom(req.headers[REQUEST_ID_HEADER]);
    const headers = [...responseHeaders(req.headers, { requestId }), ...HEADERS];
    res.writeHead(503, [...headers, ...(options.originHeaders?.(req) ?? [])]).end(BODY, 'latin1');
    options.onShed?.(req, requestId, REFUSAL);
  };

  const createScheduler: CreateScheduler = (start) => {
    const admission = new AdmissionQueue(start, maxPerTick);
    queue = admission;
    return {
      schedule(req, res) {
        if (admission.isEmpty) return admission.add(res);
        if (ALWAYS_ADMITTED.test(req.url ?? '')) return start(res);
        // Fewer start in the next tick: they waited because the process stood still, as when a machine is paused.
        const isSlow = admission.length >= maxPerTick && admission.waitMs > maxWaitMs;
        const isFull = admission.length >= maxLength || isSlow;
        if (!isFull || admission.hasWaited(req.socket)) return admission.add(res);
        admission.countRefusal();
        // A short body has been read by the end of the tick: with one unread the connection would have to be closed.
        if (hasBody(req.headers)) setImmediate(refuse, req, res);
        else refuse(req, res);
      },
      flush: (socket) => admission.flush(socket),
      resumeReading: () => admission.stopPausing(),
    };
  };
  return {
    /** For the server: queues requests, and refuses them while the queue is full. */
    createScheduler,
    close() {
      clearInterval(reporting);
    },
  };
}
