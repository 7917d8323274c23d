import type { Logger } from '@agent-fleet/shared/logger';
import { REQUEST_ID_HEADER } from '@agent-fleet/shared/request-id';
import type { RequestHandler } from 'express';
import { Counter, Gauge, type Registry } from 'prom-client';

const SAMPLE_MS = 50;
/** What a request waits until it is read; it waits as long again for its answer to be. */
const DEFAULT_TARGET_MS = 100;
/** In a sample that is late. With fewer the process is late for another reason, and refusing them would help nobody. */
const DEFAULT_MIN_ARRIVALS = 250;
/** One pause, of garbage collection for one, is no overload. */
const SAMPLES_IN_A_ROW = 2;
/** Additive increase, slower decrease: a share that swings would let bursts through. */
const MORE = 0.05;
const LESS = 0.01;
const MAX_SHARE = 0.95;
const REPORT_EVERY_MS = 1_000;
/** They have to be answered always: who does not hear from a busy gateway takes it for dead. */
const ALWAYS_ADMITTED = /^\/(?:health|ready)(?:\?|$)/;

const BODY = JSON.stringify({ error: 'overloaded', message: 'Too many requests at once; try again' });
const HEADERS = [
  ...['retry-after', '1', 'content-type', 'application/json; charset=utf-8'],
  ...['x-content-type-options', 'nosniff', 'content-length', String(Buffer.byteLength(BODY))],
];

export interface LoadShedding {
  /** Answers 503 `overloaded` to a part of the requests, before anything is done for them. */
  handler: RequestHandler;
  close(): void;
}

interface ShareControl {
  readonly share: number;
  /** Told how late the event loop was, and how many requests have come meanwhile. */
  sample(delayMs: number, arrivals: number): void;
}

/** What part of the requests is to be refused, from 0 to 1. */
export function createShareControl(targetMs: number, minArrivals: number): ShareControl {
  let share = 0;
  let overInARow = 0;
  return {
    get share() {
      return share;
    },
    sample(delayMs, arrivals) {
      overInARow = delayMs > targetMs && arrivals >= minArrivals ? overInARow + 1 : 0;
      if (overInARow >= SAMPLES_IN_A_ROW) share = Math.min(share + MORE, MAX_SHARE);
      else if (overInARow === 0) share = Math.max(share - LESS, 0);
    },
  };
}

interface Options {
  logger: Logger;
  registry: Registry;
  /** The delay of the event loop that is put up with. Default: 100. */
  targetMs?: number;
  /** In a sample that is late. Default: 250. */
  minArrivals?: number;
}

/**
 * Keeps the event loop's delay near 100 ms when more comes than can be done: the share of requests that is refused grows while the delay is
 * above that with many requests waiting, and shrinks while it is not. Refused requests are counted, and logged once a second together.
 */
export function shedLoad(options: Options): LoadShedding {
  const { logger, registry, targetMs = DEFAULT_TARGET_MS, minArrivals = DEFAULT_MIN_ARRIVALS } = options;
  const control = createShareControl(targetMs, minArrivals);
  /** Reaches 1 with each request that is to be refused. */
  let due = 0;
  let arrivals = 0;
  let shed = 0;
  let reported = 0;
  let reportedAtMs = 0;
  let delayMs = 0;
  let sampledAtMs = performance.now();

  function sample(): void {
    const nowMs = performance.now();
    delayMs = Math.max(nowMs - sampledAtMs - SAMPLE_MS, 0);
    sampledAtMs = nowMs;
    control.sample(delayMs, arrivals);
    arrivals = 0;
    if (shed > reported && nowMs - reportedAtMs > REPORT_EVERY_MS) report(nowMs);
  }

  function report(nowMs: number): void {
    logger.warn({ requests: shed - reported, delay_ms: Math.round(delayMs) }, 'load is shed');
    reported = shed;
    reportedAtMs = nowMs;
  }

  const timer = setInterval(sample, SAMPLE_MS).unref();
  watch(registry, { shed: () => shed, share: () => control.share });
  return {
    handler(req, res, next) {
      arrivals++;
      if (control.share === 0) return next();
      due += control.share;
      if (due < 1 || ALWAYS_ADMITTED.test(req.url)) return next();
      due--;
      shed++;
      // Nothing of it may cost what the requests that are admitted need.
      res.writeHead(503, [REQUEST_ID_HEADER, req.headers[REQUEST_ID_HEADER] as string, ...HEADERS]).end(BODY);
    },
    close() {
      clearInterval(timer);
    },
  };
}

function watch(registry: Registry, { shed, share }: { shed: () => number; share: () => number }): void {
  new Counter({
    name: 'gateway_shed_total',
    help: 'Requests that were refused because the event loop was late',
    registers: [registry],
    collect() {
      this.reset();
      this.inc(shed());
    },
  });
  new Gauge({
    name: 'gateway_shed_share',
    help: 'The part of all requests that is refused now',
    aggregator: 'max',
    registers: [registry],
    collect() {
      this.set(share());
    },
  });
}
