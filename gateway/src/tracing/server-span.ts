import {
  type Attributes,
  createTraceState,
  type HrTime,
  type SpanContext,
  SpanKind,
  SpanStatusCode,
  TraceFlags,
} from '@opentelemetry/api';
import type { Resource } from '@opentelemetry/resources';
import type { ReadableSpan } from '@opentelemetry/sdk-trace';
import { toLoggedPath } from '../observability/logged-path.ts';
import { type EndedRequest, KNOWN_METHODS, NO_RESPONSE_STATUS } from '../observability/observe-requests.ts';
import { spanIdOf, traceIdOf } from './trace-context.ts';
import type { SpanStart } from './trace-requests.ts';

const SCOPE = { name: '@agent-fleet/gateway' };
const MAX_TEXT_LENGTH = 512;

/** A SERVER span by OpenTelemetry's semantic conventions for HTTP; without the query, and no header except `Host`. */
export function toServerSpan(request: EndedRequest, start: SpanStart, resource: Resource): ReadableSpan {
  const { traceparent = '', endedAtMs, durationMs, status } = request;
  const { parentId, tracestate } = start;
  const context: SpanContext = {
    traceId: traceIdOf(traceparent),
    spanId: spanIdOf(traceparent),
    traceFlags: TraceFlags.SAMPLED,
    ...(tracestate !== undefined && { traceState: createTraceState(tracestate) }),
  };
  return {
    name: nameOf(request),
    kind: SpanKind.SERVER,
    spanContext: () => context,
    ...(parentId !== undefined && { parentSpanContext: { ...context, spanId: parentId, isRemote: true } }),
    startTime: toHrTime(endedAtMs - durationMs),
    endTime: toHrTime(endedAtMs),
    duration: toHrTime(durationMs),
    ended: true,
    status: { code: status >= 500 ? SpanStatusCode.ERROR : SpanStatusCode.UNSET },
    attributes: attributesOf(request, start.host),
    resource,
    instrumentationScope: SCOPE,
    links: [],
    events: [],
    droppedAttributesCount: 0,
    droppedEventsCount: 0,
    droppedLinksCount: 0,
  };
}

/** A span name of low cardinality: the template instead of the path, and no method that a client invents. */
function nameOf({ method, locals: { route } }: EndedRequest): string {
  const name = KNOWN_METHODS.has(method) ? method : 'HTTP';
  return route ? `${name} ${route.template}` : name;
}

function attributesOf(request: EndedRequest, host: string | undefined): Attributes {
  const { method, status, target } = request;
  const { route, principal, clientAddress, replica } = request.locals;
  const isKnown = KNOWN_METHODS.has(method);
  const hasResponse = status !== NO_RESPONSE_STATUS;
  const { address, port } = splitHost(host);
  return withoutUndefined({
    'http.request.method': isKnown ? method : '_OTHER',
    'http.request.method_original': isKnown ? undefined : method,
    'http.route': route?.template,
    'http.response.status_code': hasResponse ? status : undefined,
    'error.type': status >= 500 ? String(status) : undefined,
    'url.scheme': 'http',
    'url.path': boundedCopy(toLoggedPath(target)),
    'server.address': boundedCopy(address),
    'server.port': port,
    'client.address': clientAddress,
    'enduser.id': principal,
    'fleet.upstream': route?.upstream,
    'fleet.replica': replica,
  });
}

function withoutUndefined(attributes: Attributes): Attributes {
  return Object.fromEntries(Object.entries(attributes).filter(([, value]) => value !== undefined));
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

function toHrTime(ms: number): HrTime {
  return [Math.floor(ms / 1_000), Math.floor((ms % 1_000) * 1_000_000)];
}
