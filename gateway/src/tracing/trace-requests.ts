import type { IncomingHttpHeaders } from 'node:http';
import type { RequestHandler } from 'express';
import {
  createSpanId,
  createTraceparent,
  isSampled,
  readTraceparent,
  readTracestate,
  spanIdOf,
  toSampled,
  traceIdOf,
} from './trace-context.ts';

/** What is known of a request's span when it begins, beside its own id in `traceparent`. */
export interface SpanStart {
  /** The client's span, undefined for the first of a trace. */
  parentId: string | undefined;
  tracestate: string | undefined;
  host: string | undefined;
}

declare global {
  namespace Express {
    interface Locals {
      /** Of a request whose span is exported. */
      span?: SpanStart;
    }
  }
}

/** Of a trace id, at its random end (W3C Trace Context Level 2, section 5.1): as many as a number holds exactly. */
const SAMPLING_DIGITS = 13;

/**
 * Gives each request the `traceparent` that goes on to a service: the client's, where it is valid, with its `tracestate`, else that of a
 * new trace. With `sampleRatio`, 0 to 1, traces are recorded: those that the client samples, and that share of the new ones; the
 * `traceparent` of such a request names the gateway's own span.
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
    const isRecorded =
      sampleRatio !== undefined && (received ? isSampled(received) : isAmongThem(passed, sampledBelow));
    if (isRecorded) res.locals.span = toSpanStart(headers, received);
    headers.traceparent = isRecorded ? toSampled(passed, createSpanId()) : passed;
    next();
  };
}

function isAmongThem(traceparent: string, sampledBelow: number): boolean {
  return Number.parseInt(traceIdOf(traceparent).slice(-SAMPLING_DIGITS), 16) < sampledBelow;
}

function toSpanStart({ host, tracestate }: IncomingHttpHeaders, received: string | undefined): SpanStart {
  return { parentId: received && spanIdOf(received), tracestate: tracestate as string | undefined, host };
}
