import { createLogger } from '@agent-fleet/shared/logger';
import { until } from '@agent-fleet/shared/testing/until';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { API_KEY, nowhere, startGateway, type TestGateway } from './support/gateway.ts';
import { rawGet } from './support/raw-request.ts';

const lines: Record<string, unknown>[] = [];
const logger = createLogger('gateway', 'info', { write: (line) => lines.push(JSON.parse(line)) });
const WITH_KEY = { 'x-api-key': API_KEY };
const body = 'x'.repeat(2_000);
let gateway: TestGateway;

beforeAll(async () => {
  const away = await nowhere();
  gateway = await startGateway(
    { AGENTS_URL: away, REGISTRY_URL: away, MAX_BODY_BYTES: '1024', RATE_LIMIT_PER_MINUTE: '1000' },
    logger,
  );
});
afterAll(() => gateway.close());

function toStream(text: string): ReadableStream {
  return ReadableStream.from([new TextEncoder().encode(text)]);
}

test.each<[stage: string, error: string, status: number, path: string, init: RequestInit & { duplex?: 'half' }]>([
  ['path', 'not_found', 404, '/nowhere', {}],
  ['authentication', 'unauthenticated', 401, '/agents', {}],
  ['authentication', 'invalid_api_key', 403, '/agents', { headers: { 'x-api-key': 'wrong' } }],
  ['method', 'method_not_allowed', 405, '/openapi.json', { method: 'DELETE' }],
  ['body_limit', 'payload_too_large', 413, '/agents', { method: 'POST', headers: WITH_KEY, body }],
  ['upstream', 'unavailable', 503, '/agents', { headers: WITH_KEY }],
  ['operation', 'unsupported_media_type', 415, '/token', { method: 'POST', body: toStream('{}'), duplex: 'half' }],
])('logs %s as the stage that rejects a request with %s', async (stage, error, expected, path, init) => {
  const { status, headers } = await fetch(gateway.url + path, init);
  const line = await lineOf(headers.get('x-request-id'));
  expect([status, line]).toEqual([expected, expect.objectContaining({ status, error, rejected_by: stage })]);
});

test('logs the stage of a target that is not canonical', async () => {
  const { head } = await rawGet(gateway.url, '/agents/%2e%2e/x');
  const line = await lineOf(/x-request-id: (\S+)/.exec(head)?.[1]);
  expect(line).toMatchObject({ status: 400, error: 'validation_error', rejected_by: 'path' });
});

test('logs the stage of a request over its rate limit', async () => {
  const limited = await startGateway({ RATE_LIMIT_PER_MINUTE: '1' }, logger);
  const request = () => fetch(`${limited.url}/openapi.json`);
  await request();
  const { status, headers } = await request();
  const line = await lineOf(headers.get('x-request-id'));
  await limited.close();
  expect([status, line]).toEqual([429, expect.objectContaining({ error: 'rate_limited', rejected_by: 'rate_limit' })]);
});

test('logs no rejection of a request that succeeds', async () => {
  const { headers } = await fetch(`${gateway.url}/openapi.json`);
  const line = await lineOf(headers.get('x-request-id'));
  expect(line).toMatchObject({ status: 200 });
  expect(line).not.toHaveProperty('error');
  expect(line).not.toHaveProperty('rejected_by');
});

function lineOf(requestId: string | null | undefined) {
  return until(() => lines.find(({ msg, request_id }) => msg === 'request' && request_id === requestId));
}
