import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { createLogger } from '../logger.ts';
import { Collector } from '../testing/collector.ts';
import { until } from '../testing/until.ts';
import type { EndedSpan } from './span.ts';
import { createSpanQueue, type SpanQueue } from './span-exporter.ts';

let collector: Collector;
let queue: SpanQueue;
let counts: Record<string, number>;
beforeEach(async () => {
  collector = await new Collector().listen();
  counts = { exported: 0, failed: 0, dropped: 0 };
  queue = createSpanQueue(
    { url: collector.url, headers: {}, resource: {}, sampleRatio: 1, timeoutMs: 60_000 },
    (spans, result) => {
      counts[result] = (counts[result] ?? 0) + spans;
    },
    createLogger('test', 'silent'),
  );
});
afterEach(async () => {
  collector.answerAll();
  await queue.close();
  collector.close();
});

const span: EndedSpan = {
  kind: 'client',
  name: 'GET /x',
  traceparent: '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01',
  parentId: '00f067aa0ba902b7',
  tracestate: 'vendor=1',
  startedAtMs: 1_799_999_999_122.5,
  durationMs: 1_000.5,
  isError: true,
  attributes: { 'http.route': '/x', absent: undefined },
};

test('holds 8,192 spans for a collector that hangs, and drops the rest', async () => {
  collector.hangs = true;
  queue.add(Array.from({ length: 10_000 }, () => span));
  expect(counts).toEqual({ exported: 0, failed: 0, dropped: 10_000 - 8_192 });
  await until(async () => collector.requests.length > 0);
  collector.hangs = false;
  collector.answerAll();
  await queue.close();
  expect(counts).toEqual({ exported: 8_192, failed: 0, dropped: 10_000 - 8_192 });
  expect(collector.spans).toHaveLength(8_192);
});

test('exports a span with its times in microseconds', async () => {
  queue.add([span]);
  await queue.close();
  const [exported] = collector.spans;
  expect(exported).toMatchObject({
    kind: 3,
    name: 'GET /x',
    traceId: '0af7651916cd43dd8448eb211c80319c',
    spanId: 'b7ad6b7169203331',
    parentSpanId: '00f067aa0ba902b7',
    traceState: 'vendor=1',
    endTimeUnixNano: '1800000000123000000',
    status: { code: 2 },
    resource: { 'host.name': expect.stringMatching(/./) },
  });
  expect(exported?.attributes).toEqual({ 'http.route': '/x' });
  expect(Number(exported?.startTimeUnixNano.slice(-13, -3))).toBeCloseTo(9_999_122_500, -1);
});
