import type { ServerResponse } from 'node:http';
import { until } from '@agent-fleet/shared/testing/until';
import { describe, expect, test } from '@jest/globals';
import { startCollector } from './support/collector.ts';
import { type GatewayWithServices, nowhere, startGateway, startWithServices, WITH_KEY } from './support/gateway.ts';
import { startGatewayProcess } from './support/gateway-process.ts';
import { startRawUpstreamServer } from './support/proxy.ts';

const TRACE_ID = '0af7651916cd43dd8448eb211c80319c';
const PARENT_ID = 'b7ad6b7169203331';
const SAMPLED = `00-${TRACE_ID}-${PARENT_ID}-01`;
const NOT_SAMPLED = `00-${TRACE_ID}-${PARENT_ID}-00`;

async function ask({ url }: { url: string }, path: string, headers: Record<string, string> = {}): Promise<void> {
  await (await fetch(url + path, { headers: { ...WITH_KEY, ...headers } })).text();
}

/** The headers of the last request that the service received. */
function lastHeaders({ reached }: GatewayWithServices) {
  return reached().at(-1)?.headers as Record<string, string>;
}

async function startTraced(env: Record<string, string> = {}) {
  const collector = await startCollector();
  const gateway = await startWithServices({ OTEL_EXPORTER_OTLP_ENDPOINT: collector.url, ...env });
  return { collector, gateway };
}

test('a request of a sampled trace is a span between those of its client and of the service', async () => {
  const { collector, gateway } = await startTraced({
    OTEL_TRACES_SAMPLER_ARG: '0',
    OTEL_EXPORTER_OTLP_HEADERS: 'x-collector-key=a%20b',
    OTEL_RESOURCE_ATTRIBUTES: 'deployment.environment=staging,service.name=other',
  });
  await ask(gateway, '/agents/7?token=hunter2', { traceparent: SAMPLED, tracestate: 'vendor=1' });
  const sent = lastHeaders(gateway);
  await gateway.close();
  expect(collector.requests[0]).toMatchObject({
    path: '/v1/traces',
    headers: { 'content-type': 'application/json', 'x-collector-key': 'a b' },
  });
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
      'server.port': Number(new URL(gateway.url).port),
      'client.address': '127.0.0.1',
      'enduser.id': 'key:ci',
      'fleet.upstream': 'agents',
      'fleet.replica': '127.0.0.1',
    },
    resource: {
      'service.name': 'other',
      'deployment.environment': 'staging',
      'telemetry.sdk.language': 'nodejs',
    },
  });
  expect(span?.attributes).not.toHaveProperty(['error.type']);
  expect(BigInt(span?.endTimeUnixNano ?? 0)).toBeGreaterThan(BigInt(span?.startTimeUnixNano ?? 0));
  const [client] = collector.spans.filter(({ kind }) => kind === 3);
  expect(client).toMatchObject({
    traceId: TRACE_ID,
    parentSpanId: span?.spanId,
    name: 'GET /agents/{agent_id}',
    status: { code: 0 },
    attributes: { 'http.response.status_code': 200, 'server.address': '127.0.0.1', 'fleet.upstream': 'agents' },
  });
  expect(sent).toMatchObject({ traceparent: `00-${TRACE_ID}-${client?.spanId}-01`, tracestate: 'vendor=1' });
  expect(span?.spanId).not.toBe(PARENT_ID);
  expect(JSON.stringify(collector.spans)).not.toMatch(/hunter2|key-of-the-ci/);
});

describe('sampling', () => {
  test('records all new traces, no probes, and no trace that its client does not sample', async () => {
    const { collector, gateway } = await startTraced();
    await ask(gateway, '/agents', { traceparent: NOT_SAMPLED, tracestate: 'vendor=1' });
    expect(lastHeaders(gateway)).toMatchObject({ traceparent: NOT_SAMPLED, tracestate: 'vendor=1' });
    await ask(gateway, '/health', { traceparent: SAMPLED });
    await ask(gateway, '/ready');
    await ask(gateway, '/agents', { traceparent: 'forged' });
    await gateway.close();
    expect(collector.spans.map(({ name }) => name)).toEqual(['GET /agents', 'GET /agents']);
    const [server, client] = collector.spans;
    expect(server?.parentSpanId).toBeFalsy();
    expect(lastHeaders(gateway).traceparent).toBe(`00-${server?.traceId}-${client?.spanId}-01`);
  });

  test('records the share of new traces set by OTEL_TRACES_SAMPLER_ARG', async () => {
    const { collector, gateway } = await startTraced({ OTEL_TRACES_SAMPLER_ARG: '0.5' });
    const sent: (string | undefined)[] = [];
    for (let n = 0; n < 200; n++) {
      await ask(gateway, '/agents');
      sent.push(lastHeaders(gateway).traceparent);
    }
    await gateway.close();
    const ids = collector.named('GET /agents').map(({ traceId }) => traceId);
    const sampled = sent.filter((traceparent) => traceparent?.endsWith('-01'));
    expect(ids).toEqual(sampled.map((traceparent) => traceparent?.slice(3, 35)));
    // Seven standard deviations.
    expect(Math.abs(sampled.length - 100)).toBeLessThan(50);
  });
});

test('unknown paths and methods do not appear in the names of spans', async () => {
  const { collector, gateway } = await startTraced();
  await ask(gateway, '/nowhere/7');
  await fetch(`${gateway.url}/agents`, { method: 'PURGE' });
  await gateway.close();
  expect(collector.servers().map(({ name }) => name)).toEqual(['GET', 'HTTP /agents*']);
  expect(collector.spans[1]?.attributes).toMatchObject({
    'http.request.method': '_OTHER',
    'http.request.method_original': 'PURGE',
  });
});

test('the span of a failed request has the status error', async () => {
  const collector = await startCollector();
  const gateway = await startGateway({ OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: `${collector.url}/here` });
  await ask(gateway, '/agents/7');
  await gateway.close();
  expect(collector.requests[0]?.path).toBe('/here');
  expect(collector.spans[0]).toMatchObject({
    name: 'GET /agents*',
    status: { code: 2 },
    attributes: { 'http.response.status_code': 503, 'error.type': '503' },
  });
});

test('the span of an event stream ends with it', async () => {
  let response: ServerResponse | undefined;
  const service = await startRawUpstreamServer((req, res) => {
    if (req.url !== '/api/skills') return res.end();
    response = res.writeHead(200, { 'content-type': 'text/event-stream' });
    response.write(': hello\n\n');
  });
  const { collector, gateway } = await startTraced({ REGISTRY_URL: service.url });
  const stream = await fetch(`${gateway.url}/api/skills`, { headers: { accept: 'text/event-stream' } });
  await ask(gateway, '/agents');
  await until(() => collector.named('GET /agents').length > 0);
  expect(collector.named('GET /api/*')).toEqual([]);
  response?.end();
  await stream.text();
  await gateway.close();
  const [streamed] = collector.named('GET /api/*');
  const [short] = collector.named('GET /agents');
  expect(BigInt(streamed?.endTimeUnixNano ?? 0)).toBeGreaterThan(BigInt(short?.endTimeUnixNano ?? 0));
});

describe('a collector', () => {
  const spansOf = async (gateway: { metrics(): Promise<string> }, result: string) =>
    Number(
      (await gateway.metrics()).match(new RegExp(`^gateway_spans_total\\{result="${result}"\\} (\\d+)$`, 'm'))?.[1],
    );

  test('that is unavailable delays nothing and is logged once, and receives spans when it is back', async () => {
    const url = await nowhere();
    const gateway = await startWithServices({
      OTEL_EXPORTER_OTLP_ENDPOINT: url,
      // The exporter retries until then.
      OTEL_EXPORTER_OTLP_TIMEOUT: '1500',
    });
    const logged = (message: string) => gateway.logs.filter(({ msg }) => msg === message);
    for (let failed = 0; failed < 2; failed++) {
      await ask(gateway, '/agents');
      expect(lastHeaders(gateway)).toHaveProperty('traceparent');
      await until(async () => (await spansOf(gateway, 'failed')) > failed);
    }
    expect(logged('failed to export spans')).toMatchObject([{ level: 'warn', code: 'ECONNREFUSED' }]);
    const collector = await startCollector(Number(new URL(url).port));
    await ask(gateway, '/agents', { traceparent: SAMPLED });
    await until(() => collector.spans.some(({ traceId }) => traceId === TRACE_ID));
    await until(() => logged('exporting spans again').length === 1);
    expect(await spansOf(gateway, 'exported')).toBeGreaterThan(0);
  });

  test('that hangs delays neither requests nor the stop of the gateway', async () => {
    const { collector, gateway } = await startTraced({ OTEL_EXPORTER_OTLP_TIMEOUT: '60000' });
    collector.hangs = true;
    await ask(gateway, '/agents');
    await until(() => collector.spans.length > 0);
    await ask(gateway, '/agents');
    expect(lastHeaders(gateway)).toHaveProperty('traceparent');
    const began = performance.now();
    await gateway.close();
    // The gateway waits 2 s for the collector, which would take a minute.
    expect(performance.now() - began).toBeLessThan(30_000);
  });
});

test('the SDK of OpenTelemetry is loaded only with a collector', async () => {
  const hooks = `import { registerHooks } from 'node:module';
    registerHooks({ load(url, context, next) { if (url.includes('@opentelemetry/sdk-trace')) console.error('loaded'); return next(url, context); } });`;
  const NODE_OPTIONS = `--import=data:text/javascript,${encodeURIComponent(hooks)}`;
  const without = await startGatewayProcess({ NODE_OPTIONS });
  expect(without.errors).toBe('');
  const traced = await startGatewayProcess({ NODE_OPTIONS, OTEL_EXPORTER_OTLP_ENDPOINT: await nowhere() });
  await traced.until(() => traced.errors.includes('loaded'));
});
