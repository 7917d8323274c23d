import { until } from '@agent-fleet/shared/testing/until';
import { beforeAll, expect, test } from '@jest/globals';
import { startGateway, startWithServices, type TestGateway, WITH_KEY } from './support/gateway.ts';
import { startRawUpstreamServer } from './support/proxy.ts';
import { exchangeRaw, RawClient, statusesIn } from './support/raw-client.ts';

const body = 'x'.repeat(2_000);
const FORM = { 'content-type': 'application/x-www-form-urlencoded' };
let gateway: TestGateway;

beforeAll(async () => {
  gateway = await startGateway({ MAX_BODY_BYTES: '1024', RATE_LIMIT_PER_MINUTE: '1000' });
});

const lineOf = (requestId: string | null | undefined, { logs } = gateway) =>
  until(() => logs.find(({ msg, request_id }) => msg === 'request' && request_id === requestId));

test('a request has one line with principal, route, upstream and trace, without query and credentials', async () => {
  const { url, logs } = await startWithServices();
  const traceparent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-00';
  const headers = { ...WITH_KEY, 'x-request-id': 'mine', traceparent };
  await (await fetch(`${url}/agents/7?token=hunter2`, { headers })).text();
  await (await fetch(`${url}/nowhere?token=hunter2`)).text();
  const requests = () => logs.filter(({ msg, route }) => msg === 'request' && route !== '/ready');
  await until(() => requests().length === 2);
  const [proxied, unknown] = requests();
  expect(proxied).toMatchObject({
    level: 'info',
    request_id: 'mine',
    trace_id: '0af7651916cd43dd8448eb211c80319c',
    client: '127.0.0.1',
    principal: 'key:ci',
    method: 'GET',
    route: '/agents/{agent_id}',
    status: 200,
    duration_ms: expect.any(Number),
    upstream: 'agents',
    replica: '127.0.0.1',
  });
  for (const name of ['error', 'rejected_by']) expect(proxied).not.toHaveProperty(name);
  expect(unknown).toMatchObject({ path: '/nowhere', status: 404, trace_id: expect.stringMatching(/^[0-9a-f]{32}$/) });
  expect(JSON.stringify(logs)).not.toMatch(/hunter2|key-of-the-ci/);
});

test.each<[stage: string, error: string, status: number, path: string, init: RequestInit]>([
  ['path', 'not_found', 404, '/nowhere', {}],
  ['path', 'validation_error', 400, '/agents/%2f', {}],
  ['authentication', 'unauthenticated', 401, '/agents', {}],
  ['authentication', 'invalid_api_key', 403, '/agents', { headers: { 'x-api-key': 'wrong' } }],
  ['method', 'method_not_allowed', 405, '/openapi.json', { method: 'DELETE' }],
  ['body_limit', 'payload_too_large', 413, '/agents', { method: 'POST', headers: WITH_KEY, body }],
  ['upstream', 'unavailable', 503, '/agents', { headers: WITH_KEY }],
  ['readiness', 'unavailable', 503, '/ready', {}],
  ['body_limit', 'payload_too_large', 413, '/token', { method: 'POST', headers: FORM, body: 'x'.repeat(20_000) }],
])('the line names %s as the stage that rejects a request with %s', async (stage, error, expected, path, init) => {
  const { status, headers } = await fetch(gateway.url + path, init);
  const line = await lineOf(headers.get('x-request-id'));
  expect([status, line]).toEqual([expected, expect.objectContaining({ status, error, rejected_by: stage })]);
});

test.each([
  ['garbage', 'garbage\r\n\r\n', 400, 'validation_error'],
  ['large headers', `GET / HTTP/1.1\r\nX: ${'x'.repeat(70_000)}\r\n\r\n`, 431, 'headers_too_large'],
  ['CONNECT', 'CONNECT a:1 HTTP/1.1\r\nHost: a\r\n\r\n', 405, 'method_not_allowed'],
  ['a bad chunk', 'POST /token HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\nz', 400, 'validation_error'],
])('the log has a line for %s, which the parser refuses', async (_what, text, status, error) => {
  const answer = await exchangeRaw(gateway.server.port, text);
  const line = await lineOf(/^x-request-id: (\S+)\r$/im.exec(answer)?.[1]);
  expect(line).toMatchObject({ client: '127.0.0.1', status, error, rejected_by: 'parser' });
});

test.each([
  ['a bad chunk', 'zz\r\n', 400, 'validation_error', 'parser'],
  ['too many bytes', `800\r\n${'x'.repeat(0x800)}\r\n`, 413, 'payload_too_large', 'body_limit'],
])('there is one line for %s in a body that is being forwarded', async (_what, chunk, status, error, rejected_by) => {
  const services = await startWithServices({ MAX_BODY_BYTES: '1024' });
  const lines = [`X-API-Key: ${WITH_KEY['x-api-key']}`, 'X-Request-Id: broken', 'Transfer-Encoding: chunked'];
  const client = new RawClient(services.server.port);
  client.send(`${['POST /agents HTTP/1.1', 'Host: a', ...lines].join('\r\n')}\r\n\r\n3\r\nabc\r\n`);
  await until(async () => /http_requests_in_flight 1$/m.test(await services.metrics()));
  expect(statusesIn(await client.send(chunk).untilClosed())).toEqual([status]);
  expect(await lineOf('broken', services)).toMatchObject({ status, error, rejected_by });
  expect(services.logs.filter(({ request_id }) => request_id === 'broken')).toHaveLength(1);
  expect(await lineOf('broken', services)).not.toHaveProperty('aborted');
});

test('the line names rate_limit as the stage that rejects a request over its limit', async () => {
  const limited = await startGateway({ RATE_LIMIT_PER_MINUTE: '1' });
  // Until Redis is connected, the gateway counts by itself.
  const refused = await until(async () => {
    const response = await fetch(`${limited.url}/openapi.json`);
    return response.status === 429 ? response : undefined;
  });
  const line = await lineOf(refused?.headers.get('x-request-id'), limited);
  expect(line).toMatchObject({ error: 'rate_limited', rejected_by: 'rate_limit' });
});

test('the line and the metrics name the cause that a service reports, and its client does not get it', async () => {
  const { url } = await startRawUpstreamServer((req, res) => {
    const cause = { 'x-fleet-error': 'unavailable', 'x-fleet-rejected-by': 'redis_not_replicated' };
    if (req.url === '/agents') res.writeHead(503, { 'retry-after': '1', ...cause }).end('{}');
    else res.writeHead(503).end();
  });
  const replica = await startGateway({ AGENTS_URL: url });
  const named = await fetch(`${replica.url}/agents`, { headers: WITH_KEY });
  expect([...named.headers.keys()].filter((name) => name.startsWith('x-fleet'))).toEqual([]);
  const line = await lineOf(named.headers.get('x-request-id'), replica);
  expect(line).toMatchObject({ status: 503, error: 'unavailable', rejected_by: 'redis_not_replicated' });
  const unnamed = await fetch(`${replica.url}/agents/7`, { headers: WITH_KEY });
  const other = await lineOf(unnamed.headers.get('x-request-id'), replica);
  expect(other).toMatchObject({ status: 503, error: 'unavailable', rejected_by: 'service' });
  expect(await replica.metrics()).toMatch(
    /^gateway_rejections_total\{error="unavailable",rejected_by="redis_not_replicated"\} \d+$/m,
  );
});
