import { randomBytes } from 'node:crypto';
import { freePorts } from '@agent-fleet/scripts/local/ports';
import { readExpressions } from '@agent-fleet/scripts/monitoring/monitoring-files';
import { SERVICE_NAMES, type ServiceName } from '@agent-fleet/scripts/services';
import { Collector } from '@agent-fleet/shared/testing/collector';
import { until } from '@agent-fleet/shared/testing/until';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { Agent, Lease, Task } from '../harness/api.ts';
import { type CallOptions, expectStatus, HttpClient } from '../harness/http-client.ts';
import { ADMIN, API_KEY, LocalFleet } from '../harness/local-fleet.ts';

/** Of Prometheus itself. */
const OWN = new Set(['up', 'ALERTS']);
const OWN_LABELS = ['job', 'instance', 'alertstate'];
/** Of redis_exporter, which asks Redis itself. */
const OF_EXPORTER = [
  'redis_aof_current_size_bytes',
  'redis_aof_enabled',
  'redis_aof_last_bgrewrite_status',
  'redis_aof_last_write_status',
  'redis_commands_processed_total',
  'redis_connected_slave_lag_seconds',
  'redis_connected_slave_offset_bytes',
  'redis_connected_slaves',
  'redis_master_repl_offset',
  'redis_memory_max_bytes',
  'redis_memory_used_bytes',
];
/** Labels whose values a fresh fleet does not have yet: their metrics have no samples. */
const WITHOUT_SAMPLES = ['cause', 'error', 'rejected_by', 'outcome', 'reason', 'status', 'le', 'policy'];
/** Of the client of a traced request. */
const CLIENT_SPAN_ID = 'b7ad6b7169203331';

const collector = new Collector();
let fleet: LocalFleet;
let http: HttpClient;
let ports: Record<ServiceName, number>;
beforeAll(async () => {
  ports = (await freePorts([...SERVICE_NAMES])) as Record<ServiceName, number>;
  const { url: OTEL_EXPORTER_OTLP_ENDPOINT } = await collector.listen();
  const env = SERVICE_NAMES.map(
    (name) => [name, { METRICS_PORT: String(ports[name]), OTEL_EXPORTER_OTLP_ENDPOINT }] as const,
  );
  fleet = await LocalFleet.start({ env: Object.fromEntries(env) });
  http = new HttpClient(fleet.baseUrl, { apiKey: API_KEY });
});
afterAll(async () => {
  http.close();
  await fleet.close();
  collector.close();
});

const scrape = async (name: ServiceName) => {
  const response = await fetch(`http://127.0.0.1:${ports[name]}/metrics`);
  expect(response.status).toBe(200);
  return response.text();
};

/** Names of series: those of histograms and summaries have several. */
function namesIn(text: string): string[] {
  return [...text.matchAll(/^# TYPE (\w+) (\w+)$/gm)].flatMap(([, name = '', type]) =>
    type === 'histogram' ? [`${name}_bucket`, `${name}_sum`, `${name}_count`] : [name],
  );
}

/** The metrics in a query: names that are neither functions, nor labels, nor in a text. */
function metricsIn(expression: string): string[] {
  const bare = expression
    .replaceAll(/"(?:[^"\\]|\\.)*"/g, '')
    .replaceAll(/\{[^}]*\}/g, '')
    .replaceAll(/\b(?:by|on|without|ignoring|group_left|group_right) ?(?:\([^)]*\))?/g, '')
    .replaceAll(/\[[^\]]*\]/g, '');
  const words = [...bare.matchAll(/[a-zA-Z_:][\w:]*(?!\w)(?! *\()/g)].map(([word]) => word);
  return words.filter((word) => !['and', 'or', 'unless'].includes(word) && !/^(?:sum|max|min|count)$/.test(word));
}

function labelsIn(expression: string): string[] {
  const bare = expression.replaceAll(/"(?:[^"\\]|\\.)*"/g, '""');
  const grouped = [...bare.matchAll(/\b(?:by|on) ?\(([^)]*)\)/g)].flatMap(([, list = '']) => list.split(/,\s*/));
  const matched = [...bare.matchAll(/(\w+)(?:=~|!~|!=|=)""/g)].map(([, name = '']) => name);
  return [...grouped, ...matched].filter((name) => name !== '');
}

test('each metric and label in the alert rules and dashboards exists in a scrape of the services', async () => {
  const text = (await Promise.all(SERVICE_NAMES.map(scrape))).join('\n');
  const known = new Set([...namesIn(text), ...OWN, ...OF_EXPORTER]);
  const expressions = readExpressions();
  const used = new Set(expressions.flatMap(metricsIn));
  expect(used.size).toBeGreaterThan(50);
  expect([...used].filter((name) => !known.has(name))).toEqual([]);
  const labels = new Set([...text.matchAll(/[{,](\w+)="/g)].map(([, name = '']) => name));
  for (const name of [...OWN_LABELS, ...WITHOUT_SAMPLES]) labels.add(name);
  expect([...new Set(expressions.flatMap(labelsIn))].filter((name) => !labels.has(name))).toEqual([]);
});

test('each service serves its metrics only on the port of its own', async () => {
  for (const name of SERVICE_NAMES) {
    expect((await fetch(`${fleet.services[name].url}/metrics`)).status).not.toBe(200);
  }
});

/** Sends a request as a part of a new trace. */
async function sendTraced<Body>(method: string, path: string, status: number, options: CallOptions = {}) {
  const traceId = randomBytes(16).toString('hex');
  const headers = { ...options.headers, traceparent: `00-${traceId}-${CLIENT_SPAN_ID}-01` };
  const body = expectStatus<Body>(await http.call(method, path, { ...options, headers }), status);
  return { traceId, body };
}

async function createTask() {
  const body = { name: 'Traced', type: 'claude' };
  const { id } = expectStatus<Agent>(await http.call('POST', '/agents', { body }), 201);
  return sendTraced<Task>('POST', `/agents/${id}/tasks`, 201, { body: { message: 'Do it' } });
}

/** The services that the spans of a trace are from, each span the child of the one before. */
function servicesOf(traceId: string): unknown[] {
  const spans = collector.spans.filter((span) => span.traceId === traceId);
  const childOf = (id: string) => spans.find(({ parentSpanId }) => parentSpanId === id);
  const services = [];
  for (let span = childOf(CLIENT_SPAN_ID); span; span = childOf(span.spanId)) {
    services.push(span.resource['service.name']);
  }
  return services;
}

test('a request is one trace, from its client over the gateway and its attempt to the service', async () => {
  const type = 'application/x-www-form-urlencoded';
  const form = String(new URLSearchParams({ username: ADMIN.email, password: ADMIN.password }));
  const traces = {
    identity: await sendTraced('POST', '/token', 200, { as: 'nobody', headers: { 'content-type': type }, body: form }),
    registry: await sendTraced('GET', '/api/skills', 200),
    agents: await createTask(),
  };
  for (const [name, { traceId }] of Object.entries(traces)) {
    const services = await until(() => servicesOf(traceId), { message: name, holds: ({ length }) => length === 3 });
    expect(services).toEqual(['agent-fleet-gateway', 'agent-fleet-gateway', `agent-fleet-${name}`]);
  }
});

test('the lease of a task hands on the trace of the request that created it', async () => {
  const { traceId, body: task } = await createTask();
  const leased = await http.call('POST', `/agents/${task.agent_id}/leases`, { body: { worker_id: 'e2e' } });
  const { leases } = expectStatus<{ leases: Lease[] }>(leased, 201);
  expect(leases.map((lease) => lease.task.traceparent)).toEqual([
    expect.stringMatching(new RegExp(`^00-${traceId}-[0-9a-f]{16}-01$`)),
  ]);
});
