import { hostname } from 'node:os';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { defaultResource, resourceFromAttributes } from '@opentelemetry/resources';
import { BatchSpanProcessor, type ReadableSpan, type SpanExporter } from '@opentelemetry/sdk-trace';
import type { Logger } from '../logger.ts';
import { type EndedSpan, toReadableSpan } from './span.ts';
import type { TracingConfig } from './tracing-config.ts';

/** Spans that wait for export or are being exported, each about 2 KB. */
const MAX_PENDING = 8_192;
/** Serialising a span to JSON blocks requests for 10 µs. */
const SPANS_PER_EXPORT = 128;
const EXPORT_EVERY_MS = 1_000;

type SpanResult = 'exported' | 'failed' | 'dropped';
type ExportResult = Parameters<Parameters<SpanExporter['export']>[1]>[0];

export type SpanQueue = ReturnType<typeof createSpanQueue>;

/** This file and its imports, 3 MB, are loaded only when spans are exported. */
export function createSpanQueue(
  { url, headers, timeoutMs, resource: attributes }: TracingConfig,
  count: (spans: number, result: SpanResult) => void,
  logger: Logger,
) {
  const resource = defaultResource().merge(resourceFromAttributes({ 'host.name': hostname(), ...attributes }));
  // On close, all remaining spans are sent at once.
  const concurrencyLimit = MAX_PENDING / SPANS_PER_EXPORT;
  const exporter = new OTLPTraceExporter({ url, headers, timeoutMillis: timeoutMs, concurrencyLimit });
  const logResult = logChanges(logger);
  let pending = 0;

  function onExported(spans: readonly ReadableSpan[], result: ExportResult): void {
    pending -= spans.length;
    count(spans.length, result.error ? 'failed' : 'exported');
    logResult(result.error);
  }

  const processor = new BatchSpanProcessor({
    exporter: {
      export(spans, done) {
        exporter.export(spans, (result) => {
          onExported(spans, result);
          done(result);
        });
      },
      shutdown: () => exporter.shutdown(),
    },
    maxQueueSize: MAX_PENDING,
    maxExportBatchSize: SPANS_PER_EXPORT,
    scheduledDelayMillis: EXPORT_EVERY_MS,
  });
  return {
    /** Drops spans when the queue is full. */
    add(spans: readonly EndedSpan[]): void {
      for (const span of spans) {
        if (pending === MAX_PENDING) {
          count(1, 'dropped');
        } else {
          pending++;
          processor.onEnd(toReadableSpan(span, resource));
        }
      }
    },
    /** Sends the remaining spans; may take as long as the collector does. */
    close: () => processor.shutdown(),
  };
}

/** Logs one line when exports begin to fail and one when they succeed again, without the collector's response. */
function logChanges(logger: Logger): (error: Error | undefined) => void {
  let isFailing = false;
  return (error) => {
    if (error && !isFailing) {
      const { code, message } = error as Error & { code?: unknown };
      logger.warn({ code, reason: message }, 'failed to export spans');
    } else if (!error && isFailing) {
      logger.info('exporting spans again');
    }
    isFailing = error !== undefined;
  };
}
