import { spanIdOf, toSampled } from '@agent-fleet/shared/trace-context';
import { toHttpAttributes, toSpanName } from '@agent-fleet/shared/tracing/http-span';
import type { EndedSpan } from '@agent-fleet/shared/tracing/span';
import { type EndedRequest, toLoggedPath } from '../observability/observe-requests.ts';
import { templateOf } from '../routing/routes.ts';
import type { Attempt, SpanStart } from './span-start.ts';

const MAX_TEXT_LENGTH = 512;

/** A SERVER span by OpenTelemetry's semantic conventions for HTTP, and a CLIENT span for each attempt at a service. */
export function toSpans(request: EndedRequest, start: SpanStart): EndedSpan[] {
  return [toServerSpan(request, start), ...start.attempts.map((attempt) => toClientSpan(request, start, attempt))];
}

/** Without the query, and no header except `Host`. */
function toServerSpan(request: EndedRequest, { parentId, tracestate, host }: SpanStart): EndedSpan {
  const { traceparent = '', endedAtMs, durationMs, method, status, target, locals } = request;
  const { route, caller, clientAddress, replica, requestId } = locals;
  const template = templateOf(locals);
  const { address, port } = splitHost(host);
  return {
    kind: 'server',
    name: toSpanName(method, template),
    ...{ traceparent, parentId, tracestate },
    startedAtMs: endedAtMs - durationMs,
    durationMs,
    isError: status >= 500,
    attributes: {
      ...toHttpAttributes(method, status),
      'http.route': template,
      'url.scheme': 'http',
      'url.path': boundedCopy(toLoggedPath(target)),
      'server.address': boundedCopy(address),
      'server.port': port,
      'client.address': clientAddress,
      'enduser.id': caller?.principal,
      'fleet.upstream': route?.upstream,
      'fleet.replica': replica,
      'fleet.request_id': requestId,
    },
  };
}

/** An attempt that goes on when the request has ended ends with it. */
function toClientSpan(request: EndedRequest, { startedAtMs, tracestate }: SpanStart, attempt: Attempt): EndedSpan {
  const { traceparent = '', endedAtMs, durationMs, method, locals } = request;
  const offsetMs = attempt.startedAtMs - startedAtMs;
  const { status, error, replica } = attempt;
  return {
    kind: 'client',
    name: toSpanName(method, templateOf(locals)),
    traceparent: toSampled(traceparent, attempt.id),
    parentId: spanIdOf(traceparent),
    tracestate,
    startedAtMs: endedAtMs - durationMs + offsetMs,
    durationMs: attempt.endedAtMs === undefined ? durationMs - offsetMs : attempt.endedAtMs - attempt.startedAtMs,
    isError: error !== undefined || status >= 400,
    attributes: {
      ...toHttpAttributes(method, status || undefined),
      ...(error !== undefined && { 'error.type': error }),
      'http.request.resend_count': attempt.resends || undefined,
      'server.address': replica,
      'fleet.upstream': locals.route?.upstream,
    },
  };
}

/** Copies a slice: it would keep the whole string, up to 64 KiB, in memory until the span is exported. */
function boundedCopy(text: string | undefined): string | undefined {
  if (text === undefined || text.length <= MAX_TEXT_LENGTH) return text;
  return Buffer.from(text.slice(0, MAX_TEXT_LENGTH), 'latin1').toString('latin1');
}

/** Reads a `Host`: `name`, `name:port`, `[address]:port`. */
function splitHost(host: string | undefined): { address: string | undefined; port: number | undefined } {
  const colon = host?.lastIndexOf(':') ?? -1;
  if (host === undefined || colon <= host.lastIndexOf(']')) return { address: host, port: undefined };
  const port = Number(host.slice(colon + 1));
  return { address: host.slice(0, colon), port: Number.isInteger(port) ? port : undefined };
}
