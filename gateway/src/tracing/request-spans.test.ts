import { expect, test } from '@jest/globals';
import type { EndedRequest } from '../observability/observe-requests.ts';
import { toSpans } from './request-spans.ts';
import type { Attempt } from './span-start.ts';

const TRACE_ID = '0af7651916cd43dd8448eb211c80319c';
const toTraceparent = (span: string) => `00-${TRACE_ID}-${span}-01`;
const SERVER = 'b7ad6b7169203331';

function spansOf(request: Partial<EndedRequest> = {}, host?: string, attempts: Attempt[] = []) {
  const span = { parentId: undefined, tracestate: undefined, host, startedAtMs: 500, attempts };
  const ended = {
    endedAtMs: 1_800_000_000_000,
    durationMs: 100,
    method: 'GET',
    target: '/',
    traceparent: toTraceparent(SERVER),
    status: 200,
    aborted: false,
    locals: { requestId: 'r-1' },
    ...request,
  };
  return toSpans(ended, span);
}

test('names the server by the Host of the request', () => {
  const hosts = ['a.example', 'a.example:8080', '[::1]:8080', '[::1]', 'a:b'];
  const attributes = hosts.map((host) => spansOf({}, host)[0]?.attributes ?? {});
  const addresses = ['a.example', 'a.example', '[::1]', '[::1]', 'a'];
  const ports = [undefined, 8080, 8080, undefined, undefined];
  expect(attributes.map((each) => [each['server.address'], each['server.port']])).toEqual(
    addresses.map((address, at) => [address, ports[at]]),
  );
});

test('keeps 512 characters of a path and of a host', () => {
  const long = 'x'.repeat(60_000);
  const [span] = spansOf({ target: `/${long}?y` }, long);
  expect(span?.attributes).toMatchObject({ 'url.path': `/${'x'.repeat(511)}`, 'server.address': 'x'.repeat(512) });
});

test('has no status when none was sent', () => {
  const [span] = spansOf({ status: 499, aborted: true });
  expect(span?.attributes['http.response.status_code']).toBeUndefined();
  expect(span?.isError).toBe(false);
});

test('has a child for each attempt, which ends with the request at the latest', () => {
  const attempt = { id: '00f067aa0ba902b7', replica: '10.0.0.1', resends: 0, startedAtMs: 510, endedAtMs: 530 };
  const attempts = [
    { ...attempt, status: 0, error: 'broken' },
    { ...attempt, id: '53995c3f42cd8ad8', resends: 1, startedAtMs: 540, endedAtMs: undefined, status: 200 },
  ] as Attempt[];
  const [server, ...clients] = spansOf({}, undefined, attempts);
  expect(server).toMatchObject({ kind: 'server', startedAtMs: 1_799_999_999_900, durationMs: 100 });
  expect(clients).toMatchObject([
    {
      kind: 'client',
      traceparent: toTraceparent('00f067aa0ba902b7'),
      parentId: SERVER,
      startedAtMs: 1_799_999_999_910,
      durationMs: 20,
      isError: true,
      attributes: { 'error.type': 'broken', 'server.address': '10.0.0.1' },
    },
    {
      traceparent: toTraceparent('53995c3f42cd8ad8'),
      startedAtMs: 1_799_999_999_940,
      durationMs: 60,
      isError: false,
      attributes: { 'http.response.status_code': 200, 'http.request.resend_count': 1 },
    },
  ]);
});
