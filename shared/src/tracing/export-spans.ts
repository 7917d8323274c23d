import { setTimeout as sleep } from 'node:timers/promises';
import { Counter, type Registry } from 'prom-client';
import type { Logger } from '../logger.ts';
import type { EndedSpan } from './span.ts';
import type { TracingConfig } from './tracing-config.ts';

const CLOSE_WITHIN_MS = 2_000;

/** Exports spans in the background, and counts them as `<service>_spans_total`. */
export function exportSpans(config: TracingConfig, service: string, registry: Registry, logger: Logger) {
  const spans = new Counter({
    name: `${service}_spans_total`,
    help: 'Spans that were exported, failed to export, or were dropped because too many waited',
    labelNames: ['result'],
    registers: [registry],
  });
  const loading = import('./span-exporter.ts')
    .then(({ createSpanQueue }) => createSpanQueue(config, (count, result) => spans.inc({ result }, count), logger))
    .catch((error: unknown) => void logger.error({ err: error }, 'failed to load tracing'));
  return {
    add(ended: readonly EndedSpan[]): void {
      void loading.then((queue) => queue?.add(ended));
    },
    /** Sends the remaining spans, for at most 2 s. */
    async close(): Promise<void> {
      const flushed = loading.then((queue) => queue?.close()).catch(() => undefined);
      await Promise.race([flushed, sleep(CLOSE_WITHIN_MS, undefined, { ref: false })]);
    },
  };
}
