import {
  type Attributes,
  createTraceState,
  type HrTime,
  SpanKind,
  SpanStatusCode,
  TraceFlags,
} from '@opentelemetry/api';
import type { Resource } from '@opentelemetry/resources';
import type { ReadableSpan } from '@opentelemetry/sdk-trace';
import { spanIdOf, traceIdOf } from '../trace-context.ts';

const SCOPE = { name: '@agent-fleet' };

/** A span that has ended. */
export interface EndedSpan {
  kind: 'server' | 'client';
  name: string;
  /** Names the trace and the span. */
  traceparent: string;
  /** Undefined for the first span of a trace. */
  parentId: string | undefined;
  tracestate: string | undefined;
  /** Since 1970. */
  startedAtMs: number;
  durationMs: number;
  isError: boolean;
  /** Those that are undefined are left out. */
  attributes: Attributes;
}

/** Converts a span for OpenTelemetry's exporter. */
export function toReadableSpan(span: EndedSpan, resource: Resource): ReadableSpan {
  const { traceparent, parentId, tracestate, startedAtMs, durationMs } = span;
  const context = {
    traceId: traceIdOf(traceparent),
    spanId: spanIdOf(traceparent),
    traceFlags: TraceFlags.SAMPLED,
    ...(tracestate !== undefined && { traceState: createTraceState(tracestate) }),
  };
  return {
    name: span.name,
    kind: span.kind === 'server' ? SpanKind.SERVER : SpanKind.CLIENT,
    spanContext: () => context,
    ...(parentId !== undefined && { parentSpanContext: { ...context, spanId: parentId, isRemote: true } }),
    startTime: toHrTime(startedAtMs),
    endTime: toHrTime(startedAtMs + durationMs),
    duration: toHrTime(durationMs),
    ended: true,
    status: { code: span.isError ? SpanStatusCode.ERROR : SpanStatusCode.UNSET },
    attributes: withoutUndefined(span.attributes),
    resource,
    instrumentationScope: SCOPE,
    links: [],
    events: [],
    droppedAttributesCount: 0,
    droppedEventsCount: 0,
    droppedLinksCount: 0,
  };
}

function withoutUndefined(attributes: Attributes): Attributes {
  return Object.fromEntries(Object.entries(attributes).filter(([, value]) => value !== undefined));
}

function toHrTime(ms: number): HrTime {
  return [Math.floor(ms / 1_000), Math.floor((ms % 1_000) * 1_000_000)];
}
