import { createLogger } from '@agent-fleet/shared/logger';
import { until } from '@agent-fleet/shared/testing/until';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { Collector } from '../../test/support/collector.ts';
import type { EndedRequest } from '../observability/observe-requests.ts';
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
    createLogger('gateway', 'silent'),
  );
});
afterEach(async () => {
  collector.answerAll();
  await queue.close();
});

function ended(request: Partial<EndedRequest> = {}, host?: string): EndedRequest {
  return {
    endedAtMs: 1_800_000_000_123,
    durationMs: 1_000.5,
    method: 'GET',
    target: '/',
    traceparent: '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01',
    status: 200,
    aborted: false,
    locals: { requestId: 'r-1', span: { parentId: undefined, tracestate: undefined, host } },
    ...request,
  };
}

test('holds 8,192 spans for a collector that hangs, and drops the rest', async () => {
  collector.hangs = true;
  queue.add(Array.from({ length: 10_000 }, () => ended()));
  expect(counts).toEqual({ exported: 0, failed: 0, dropped: 10_000 - 8_192 });
  await until(async () => collector.requests.length > 0);
  collector.hangs = false;
  collector.answerAll();
  await queue.close();
  expect(counts).toEqual({ exported: 8_192, failed: 0, dropped: 10_000 - 8_192 });
  expect(collector.spans).toHaveLength(8_192);
});

test('exports the start and the end of a request in microseconds', async () => {
  queue.add([ended()]);
  await queue.close();
  const [span] = collector.spans;
  expect(span?.endTimeUnixNano).toBe('1800000000123000000');
  expect(Number(span?.startTimeUnixNano.slice(-13, -3))).toBeCloseTo(9_999_122_500, -1);
});

test('names the server by the Host of the request', async () => {
  queue.add(['a.example', 'a.example:8080', '[::1]:8080', '[::1]', 'a:b'].map((host) => ended({}, host)));
  await queue.close();
  const names = collector.spans.map(({ attributes }) => [attributes['server.address'], attributes['server.port']]);
  const addresses = ['a.example', 'a.example', '[::1]', '[::1]', 'a'];
  const ports = [undefined, 8080, 8080, undefined, undefined];
  expect(names).toEqual(addresses.map((address, at) => [address, ports[at]]));
});

test('keeps 512 characters of a path and of a host', async () => {
  const long = 'x'.repeat(60_000);
  queue.add([ended({ target: `/${long}?y` }, long)]);
  await queue.close();
  const { attributes } = collector.spans[0] ?? {};
  expect(attributes).toMatchObject({ 'url.path': `/${'x'.repeat(511)}`, 'server.address': 'x'.repeat(512) });
});

test('exports no status when none was sent', async () => {
  queue.add([ended({ status: 499, aborted: true })]);
  await queue.close();
  expect(collector.spans[0]?.attributes).not.toHaveProperty(['http.response.status_code']);
});
