import { own } from '@agent-fleet/scripts/testing/own';
import { Collector } from '@agent-fleet/shared/testing/collector';
import { until } from '@agent-fleet/shared/testing/until';
import { expect, test } from '@jest/globals';
import { startReplicas } from './support/replicas.ts';
import { startService } from './support/start-service.ts';

const TRACE_ID = '0af7651916cd43dd8448eb211c80319c';
const PARENT_ID = 'b7ad6b7169203331';
const toHeaders = (requestId: string, flags = '01') => ({
  traceparent: `00-${TRACE_ID}-${PARENT_ID}-${flags}`,
  tracestate: 'vendor=1',
  'x-request-id': requestId,
  'content-type': 'application/json',
});

test('a request has one id from the client to the span and to the logged error of Redis', async () => {
  const collector = await new Collector().listen();
  own(() => collector.close());
  const { ports, ownRedis, printed } = await startReplicas([0], {
    LOG_LEVEL: 'warn',
    OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
  });
  const url = `http://127.0.0.1:${ports[0]}/agents`;
  const post = (headers: Record<string, string>) =>
    fetch(url, { method: 'POST', headers, body: JSON.stringify({ name: 'x', type: 'claude' }) });
  expect((await post(toHeaders('not-sampled', '00'))).status).toBe(201);
  expect((await post(toHeaders('sampled'))).status).toBe(201);
  await ownRedis.kill();
  const refused = await post(toHeaders('refused'));
  expect([refused.status, refused.headers.get('x-request-id')]).toEqual([503, 'refused']);

  const logged = () =>
    printed(0)
      .split('\n')
      .filter((line) => line.includes('"request failed"'));
  await until(() => logged().length > 0);
  expect(logged().map((line) => JSON.parse(line))).toEqual([
    expect.objectContaining({ level: 'warn', request_id: 'refused', trace_id: TRACE_ID, route: '/agents' }),
  ]);
  await until(() => collector.spans.length === 2);
  const expected = {
    traceId: TRACE_ID,
    parentSpanId: PARENT_ID,
    traceState: 'vendor=1',
    name: 'POST /agents',
    kind: 2,
  };
  expect(collector.spans).toMatchObject([
    {
      ...expected,
      status: { code: 0 },
      attributes: { 'http.route': '/agents', 'http.response.status_code': 201, 'fleet.request_id': 'sampled' },
      resource: { 'service.name': 'agent-fleet-agents' },
    },
    { ...expected, status: { code: 2 }, attributes: { 'error.type': '503', 'fleet.request_id': 'refused' } },
  ]);
});

test.each([
  ['no trace context', {}],
  ['an invalid trace context', { traceparent: 'forged' }],
])('a request with %s creates a task without one', async (_what, headers) => {
  const service = await startService();
  const tasks = `/agents/${await service.createAgent()}/tasks`;
  const { body } = await service.http.post(tasks).set(headers).send({ message: 'x' }).expect(201);
  expect(body.traceparent).toBeNull();
});
