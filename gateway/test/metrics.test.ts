import { connect } from 'node:net';
import { until } from '@agent-fleet/shared/testing/until';
import { expect, test } from '@jest/globals';
import { startGateway, startWithServices, type TestGateway, WITH_KEY } from './support/gateway.ts';
import { startRawUpstreamServer } from './support/proxy.ts';

async function untilShown(gateway: TestGateway, ...lines: string[]): Promise<string> {
  const missing = async () => {
    const text = await gateway.metrics();
    return lines.filter((line) => !text.includes(`\n${line}\n`));
  };
  await until(async () => (await missing()).length === 0, { message: missing });
  return await gateway.metrics();
}

test('the metrics count requests by method, route and status, and name no unknown path or method', async () => {
  const gateway = await startWithServices();
  for (const path of ['/agents/a', '/agents/b', '/one', '/two']) await fetch(gateway.url + path, { headers: WITH_KEY });
  for (const method of ['SEARCH', 'PROPFIND']) await fetch(`${gateway.url}/one`, { method });
  const text = await untilShown(
    gateway,
    'http_request_duration_seconds_count{method="GET",route="/agents/{agent_id}",status="200"} 2',
    'http_request_duration_seconds_count{method="GET",route="unknown",status="404"} 2',
    'http_request_duration_seconds_count{method="other",route="unknown",status="404"} 2',
  );
  expect(text).not.toContain('PROPFIND');
  expect(text).toContain('process_resident_memory_bytes');
});

test('the metrics measure open requests and connections, and count aborted requests as 499, which the log marks', async () => {
  const { url } = await startRawUpstreamServer((req, res) => {
    if (req.url === '/openapi.json') res.writeHead(404).end();
  });
  const gateway = await startGateway({ REGISTRY_URL: url });
  const clients = [1, 2].map(() => connect(gateway.server.port, '127.0.0.1'));
  for (const client of clients) client.write('GET /api/skills HTTP/1.1\r\nHost: a\r\n\r\n');
  await untilShown(gateway, 'http_requests_in_flight 2', 'http_connections 2');
  for (const client of clients) client.destroy();
  await untilShown(
    gateway,
    ...['http_requests_in_flight 0', 'http_connections 0'],
    'http_request_duration_seconds_count{method="GET",route="/api/*",status="499"} 2',
  );
  expect(gateway.logs).toContainEqual(expect.objectContaining({ status: 499, aborted: true }));
});
