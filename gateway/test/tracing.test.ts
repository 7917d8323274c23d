import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createLogger } from '@agent-fleet/shared/logger';
import { until } from '@agent-fleet/shared/testing/until';
import { afterEach, describe, expect, test } from '@jest/globals';
import { closeAll, keep } from './proxy/proxy-fixture.ts';
import { Collector } from './support/collector.ts';
import { API_KEY, type Fleet, nowhere, startFleet, startGateway } from './support/gateway.ts';
import { endAll, startProcesses } from './support/gateway-process.ts';

afterEach(closeAll);
afterEach(endAll);

const TRACE_ID = '0af7651916cd43dd8448eb211c80319c';
const PARENT_ID = 'b7ad6b7169203331';
const SAMPLED = `00-${TRACE_ID}-${PARENT_ID}-01`;
const NOT_SAMPLED = `00-${TRACE_ID}-${PARENT_ID}-00`;

/** What the service was sent. */
async function ask(url: string, path: string, headers: Record<string, string> = {}): Promise<Record<string, string>> {
  const answer = await fetch(url + path, { headers: { 'x-api-key': API_KEY, ...headers } });
  const body = (await answer.json()) as { headers?: Record<string, string> };
  return body.headers ?? {};
}

async function startTraced(env: Record<string, string> = {}): Promise<{ collector: Collector; fleet: Fleet }> {
  const collector = keep(await new Collector().listen());
  const fleet = keep(await startFleet({ OTEL_EXPORTER_OTLP_ENDPOINT: collector.url, ...env }));
  return { collector, fleet };
}

describe('a request of a sampled trace', () => {
  test('is a span between those of its client and of the service', async () => {
    const { collector, fleet } = await startTraced({ OTEL_TRACES_SAMPLER_ARG: '0' });
    const sent = await ask(fleet.url, '/agents/7?token=hunter2', { traceparent: SAMPLED, tracestate: 'vendor=1' });
    await until(async () => collector.spans.length > 0);
    const [span] = collector.spans;
    expect(span).toMatchObject({
      traceId: TRACE_ID,
      parentSpanId: PARENT_ID,
      traceState: 'vendor=1',
      name: 'GET /agents/{agent_id}',
      kind: 2,
      status: { code: 0 },
      attributes: {
        'http.request.method': 'GET',
        'http.route': '/agents/{agent_id}',
        'http.response.status_code': 200,
        'url.path': '/agents/7',
        'server.address': '127.0.0.1',
        'server.port': Number(new URL(fleet.url).port),
        'client.address': '127.0.0.1',
        'enduser.id': 'key:ci',
        'fleet.upstream': 'agents',
        'fleet.replica': '127.0.0.1',
      },
    });
    expect(span?.attributes).not.toHaveProperty(['error.type']);
    expect(BigInt(span?.endTimeUnixNano ?? 0)).toBeGreaterThan(BigInt(span?.startTimeUnixNano ?? 0));
    expect(sent).toMatchObject({ traceparent: `00-${TRACE_ID}-${span?.spanId}-01`, tracestate: 'vendor=1' });
    expect(span?.spanId).not.toBe(PARENT_ID);
    expect(JSON.stringify(collector.spans)).not.toMatch(/hunter2|key-of-the-ci/);
  });

  test('is exported with the configured headers and resource', async () => {
    const { collector, fleet } = await startTraced({
      OTEL_EXPORTER_OTLP_HEADERS: 'x-collector-key=a%20b',
      OTEL_RESOURCE_ATTRIBUTES: 'deployment.environment=staging,service.name=other',
    });
    await ask(fleet.url, '/agents', { traceparent: SAMPLED });
    await until(async () => collector.spans.length > 0);
    expect(collector.requests[0]).toMatchObject({
      path: '/v1/traces',
      headers: { 'content-type': 'application/json', 'x-collector-key': 'a b' },
    });
    expect(collector.spans[0]?.resource).toMatchObject({
      'service.name': 'other',
      'deployment.environment': 'staging',
      'telemetry.sdk.language': 'nodejs',
    });
  });
});

describe('sampling', () => {
  test('leaves out a trace that its client does not sample, and forwards its context unchanged', async () => {
    const { collector, fleet } = await startTraced();
    const sent = await ask(fleet.url, '/agents', { traceparent: NOT_SAMPLED, tracestate: 'vendor=1' });
    expect(sent).toMatchObject({ traceparent: NOT_SAMPLED, tracestate: 'vendor=1' });
    await fleet.gateway.close();
    expect(collector.named('GET /agents')).toEqual([]);
  });

  test('records all new traces, and no probes', async () => {
    const { collector, fleet } = await startTraced();
    await ask(fleet.url, '/health', { traceparent: SAMPLED });
    await ask(fleet.url, '/ready');
    const sent = await ask(fleet.url, '/agents', { traceparent: 'forged' });
    await fleet.gateway.close();
    expect(collector.spans.map(({ name }) => name)).toEqual(['GET /agents']);
    const [span] = collector.spans;
    expect(span?.parentSpanId).toBeFalsy();
    expect(sent.traceparent).toBe(`00-${span?.traceId}-${span?.spanId}-01`);
  });

  test('records the share of new traces set by OTEL_TRACES_SAMPLER_ARG', async () => {
    const { collector, fleet } = await startTraced({ OTEL_TRACES_SAMPLER_ARG: '0.5' });
    const sent: (string | undefined)[] = [];
    for (let n = 0; n < 200; n++) sent.push((await ask(fleet.url, '/agents')).traceparent);
    await fleet.gateway.close();
    const spans = collector.named('GET /agents');
    const sampled = sent.filter((traceparent) => traceparent?.endsWith('-01'));
    expect(spans.map(({ traceId, spanId }) => `00-${traceId}-${spanId}-01`)).toEqual(sampled);
    // Seven standard deviations.
    expect(Math.abs(sampled.length - 100)).toBeLessThan(50);
  });
});

test('unknown paths and methods do not appear in the names of spans', async () => {
  const { collector, fleet } = await startTraced();
  await ask(fleet.url, '/nowhere/7');
  await fetch(`${fleet.url}/agents`, { method: 'PURGE' });
  await fleet.gateway.close();
  expect(collector.spans.map(({ name }) => name)).toEqual(['GET', 'HTTP /agents']);
  expect(collector.spans[1]?.attributes).toMatchObject({
    'http.request.method': '_OTHER',
    'http.request.method_original': 'PURGE',
  });
});

test('the span of a failed request has the status error', async () => {
  const collector = keep(await new Collector().listen());
  const away = await nowhere();
  const gateway = keep(
    await startGateway({
      AGENTS_URL: away,
      REGISTRY_URL: away,
      OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: `${collector.url}/here`,
    }),
  );
  await ask(gateway.url, '/agents/7');
  await until(async () => collector.spans.length > 0);
  expect(collector.requests[0]?.path).toBe('/here');
  expect(collector.spans[0]).toMatchObject({
    name: 'GET /agents*',
    status: { code: 2 },
    attributes: { 'http.response.status_code': 503, 'error.type': '503' },
  });
});

test('the span of an event stream ends with it', async () => {
  const streams: ServerResponse[] = [];
  const service = createServer((req, res) => {
    if (req.url !== '/api/skills') return res.end();
    res.writeHead(200, { 'content-type': 'text/event-stream' }).write(': hello\n\n');
    streams.push(res);
  }).listen(0, '127.0.0.1');
  await once(service, 'listening');
  const { collector, fleet } = await startTraced({
    REGISTRY_URL: `http://127.0.0.1:${(service.address() as AddressInfo).port}`,
  });
  const stream = await fetch(`${fleet.url}/api/skills`, { headers: { accept: 'text/event-stream' } });
  await ask(fleet.url, '/agents');
  await until(async () => collector.named('GET /agents').length > 0);
  expect(collector.named('GET /api/*')).toEqual([]);
  for (const each of streams) each.end();
  await stream.text();
  await until(async () => collector.named('GET /api/*').length > 0);
  const [streamed] = collector.named('GET /api/*');
  const [short] = collector.named('GET /agents');
  expect(BigInt(streamed?.endTimeUnixNano ?? 0)).toBeGreaterThan(BigInt(short?.endTimeUnixNano ?? 0));
  service.closeAllConnections();
  service.close();
});

describe('a collector', () => {
  const spansOf = (metrics: string, result: string) =>
    Number(metrics.match(new RegExp(`^gateway_spans_total\\{result="${result}"\\} (\\d+)$`, 'm'))?.[1] ?? 0);

  test('that is unavailable delays nothing and is logged once, and receives spans when it is back', async () => {
    const lines: Record<string, unknown>[] = [];
    const logger = createLogger('gateway', 'info', { write: (line) => lines.push(JSON.parse(line)) });
    const url = await nowhere();
    const fleet = keep(
      await startFleet({ OTEL_EXPORTER_OTLP_ENDPOINT: url, OTEL_EXPORTER_OTLP_TIMEOUT: '4000' }, logger),
    );
    const said = (message: string) => lines.filter(({ msg }) => msg === message);
    const failed = async () => spansOf(await fleet.gateway.metrics(), 'failed');
    for (let round = 1; round <= 2; round++) {
      const before = await failed();
      expect(await ask(fleet.url, '/agents')).toHaveProperty('traceparent');
      await until(async () => (await failed()) > before);
    }
    expect(said('failed to export spans')).toMatchObject([{ level: 'warn', code: 'ECONNREFUSED' }]);
    const collector = keep(await new Collector().listen(Number(new URL(url).port)));
    await ask(fleet.url, '/agents', { traceparent: SAMPLED });
    await until(async () => collector.spans.some(({ traceId }) => traceId === TRACE_ID));
    await until(async () => said('exporting spans again').length === 1);
    expect(spansOf(await fleet.gateway.metrics(), 'exported')).toBeGreaterThan(0);
  });

  test('that hangs delays neither requests nor the stop of the gateway', async () => {
    const { collector, fleet } = await startTraced({ OTEL_EXPORTER_OTLP_TIMEOUT: '60000' });
    collector.hangs = true;
    await ask(fleet.url, '/agents');
    await until(async () => collector.spans.length > 0);
    expect(await ask(fleet.url, '/agents')).toHaveProperty('traceparent');
    const began = performance.now();
    await fleet.gateway.close();
    // It gives it 2 s; the collector would take a minute.
    expect(performance.now() - began).toBeLessThan(30_000);
  });
});

describe('the SDK of OpenTelemetry', () => {
  const hooks = `import { registerHooks } from 'node:module';
    registerHooks({ load(url, context, next) { if (url.includes('@opentelemetry/sdk-trace')) console.error('loaded'); return next(url, context); } });`;
  const NODE_OPTIONS = `--import=data:text/javascript,${encodeURIComponent(hooks)}`;

  test('is loaded only with a collector', async () => {
    const without = await startProcesses(1, { NODE_OPTIONS });
    expect(without.errors).toBe('');
    const traced = await startProcesses(1, { NODE_OPTIONS, OTEL_EXPORTER_OTLP_ENDPOINT: await nowhere() });
    await traced.until(() => traced.errors.includes('loaded'));
  });
});
