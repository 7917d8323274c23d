import { REQUEST_ID_HEADER, requestIdFrom } from '@agent-fleet/shared/http/request-id';
import type { QueueOptions } from '@agent-fleet/shared/http/serve';
import type { Logger } from '@agent-fleet/shared/logger';
import { Counter, Gauge, type Registry } from 'prom-client';

/** Some milliseconds' worth. */
const MAX_PER_TURN = 64;
/**
 * About half a second's worth. A bound on the time alone has two equilibria: once requests are refused, clients that send again at once
 * keep the process at refusing, and those that wait wait for longer.
 */
const DEFAULT_MAX_LENGTH = 5_000;
/** For a process that is slow for another reason. */
const DEFAULT_MAX_WAIT_MS = 2_000;
const REPORT_EVERY_MS = 1_000;
/** They have to be answered always: who does not hear from a busy gateway takes it for dead. */
const ALWAYS_ADMITTED = /^\/(?:health|ready)(?:\?|$)/;

const BODY = JSON.stringify({ error: 'overloaded', message: 'Too many requests at once; try again' });
const HEADERS = [
  ...['retry-after', '1', 'content-type', 'application/json; charset=utf-8'],
  ...['x-content-type-options', 'nosniff', 'content-length', String(Buffer.byteLength(BODY))],
];

export interface LoadShedding {
  queue: QueueOptions;
  close(): void;
}

interface Options {
  logger: Logger;
  registry: Registry;
  /** Requests that may wait. Default: 5,000. */
  maxLength?: number;
  /** Default: 2,000. */
  maxWaitMs?: number;
}

/**
 * The event loop is the queue of this process: a few requests start in each of its turns, the rest waits, and while 5,000 do, or the first has
 * for two seconds, whatever comes is refused at once, so that what is admitted is answered in time. Refused requests are counted, and
 * logged once a second together.
 */
export function shedLoad(options: Options): LoadShedding {
  const { logger, registry, maxLength = DEFAULT_MAX_LENGTH, maxWaitMs = DEFAULT_MAX_WAIT_MS } = options;
  let shed = 0;
  let reported = 0;
  let queue: { length: number; waitMs: number } = { length: 0, waitMs: 0 };

  const reporting = setInterval(() => {
    if (shed === reported) return;
    logger.warn({ requests: shed - reported, wait_ms: Math.round(queue.waitMs) }, 'load is shed');
    reported = shed;
  }, REPORT_EVERY_MS).unref();
  watch(registry, { shed: () => shed, waiting: () => queue.length });
  return {
    queue: {
      maxPerTurn: MAX_PER_TURN,
      maxLength,
      maxWaitMs,
      goesBefore: ({ url = '' }) => ALWAYS_ADMITTED.test(url),
      // Nothing of it may cost what the requests that are admitted need.
      refuse(req, res) {
        shed++;
        const requestId = requestIdFrom(req.headers[REQUEST_ID_HEADER]);
        res.writeHead(503, [REQUEST_ID_HEADER, requestId, ...HEADERS]).end(BODY, 'latin1');
      },
      onOpen(opened) {
        queue = opened;
      },
    },
    close() {
      clearInterval(reporting);
    },
  };
}

function watch(registry: Registry, { shed, waiting }: { shed: () => number; waiting: () => number }): void {
  new Counter({
    name: 'gateway_shed_total',
    help: 'Requests that were refused because those before them waited too long',
    registers: [registry],
    collect() {
      this.reset();
      this.inc(shed());
    },
  });
  new Gauge({
    name: 'gateway_requests_waiting',
    help: 'Requests that wait for their start, and connections that wait until their next request is read',
    registers: [registry],
    collect() {
      this.set(waiting());
    },
  });
}
