import { afterEach, describe, expect, test } from '@jest/globals';
import {
  closeAll,
  exchangeRaw,
  type Gateway,
  type Received,
  startGateway,
  startTcpUpstream,
  startUpstream,
} from './proxy-fixture.ts';

afterEach(closeAll);

async function forward(headers: string, principal?: string): Promise<Received> {
  const upstream = await startUpstream();
  const gateway = await startGateway(upstream.url, {}, principal);
  await exchangeRaw(gateway.port, `GET /agents HTTP/1.1\r\nHost: fleet.example\r\nConnection: close\r\n${headers}\r\n`);
  expect(upstream.received).toHaveLength(1);
  return upstream.received[0] as Received;
}

const TRACE = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';

describe('a service receives', () => {
  test('the documented headers and no others for a plain request', async () => {
    const { headers } = await forward('Accept: */*\r\nX-Request-Id: r-1\r\n', 'ada@example.com');
    expect(headers).toEqual({
      host: expect.stringMatching(/^127\.0\.0\.1:\d+$/),
      connection: 'keep-alive',
      accept: '*/*',
      'x-request-id': 'r-1',
      traceparent: expect.stringMatching(/^00-[0-9a-f]{32}-[0-9a-f]{16}-00$/),
      'x-forwarded-for': '127.0.0.1',
      'x-forwarded-proto': 'http',
      'x-forwarded-host': 'fleet.example',
      'x-fleet-principal': 'ada@example.com',
      'x-fleet-internal-token': 'an-internal-token',
    });
  });

  test("the client's own end-to-end headers with their bytes unchanged", async () => {
    const { headers } = await forward(
      'If-Match: "a", "b"\r\nIdempotency-Key: k\r\nX-Lease-Token: t\r\nLast-Event-ID: 7-0\r\nX-Note: caf\xc3\xa9 \xff\r\nMy_Note: 1\r\n',
    );
    expect(headers).toMatchObject({
      'if-match': '"a", "b"',
      'idempotency-key': 'k',
      'x-lease-token': 't',
      'last-event-id': '7-0',
      'x-note': 'caf\xc3\xa9 \xff',
      my_note: '1',
    });
  });

  test('no principal from an anonymous client', async () => {
    expect((await forward('')).headers).not.toHaveProperty('x-fleet-principal');
  });

  test('the internal token of the gateway, once', async () => {
    const { rawHeaders } = await forward('X-Fleet-Internal-Token: forged\r\nx-fleet-internal-token: forged\r\n');
    const at = rawHeaders.flatMap((name, index) => (index % 2 === 0 && /internal/i.test(name) ? [index] : []));
    expect(at.map((index) => rawHeaders[index + 1])).toEqual(['an-internal-token']);
  });
});

describe('a service does not receive', () => {
  test('the credentials, hop-by-hop headers, and names that mimic headers of the gateway', async () => {
    const names = [
      ...['X-Fleet-Scope', 'X_FLEET_INTERNAL_TOKEN', 'X_Forwarded_Prefix', 'X_API_KEY', 'Set-Cookie', 'Authorization'],
      ...['Keep-Alive', 'TE', 'Trailer', 'Upgrade', 'HTTP2-Settings', 'Content_Length', 'Transfer_Encoding'],
      ...['Proxy-Authenticate', 'X-Forwarded-Host', 'X-API-Key', '__proto__'],
    ];
    const { headers } = await forward(`${names.map((name) => `${name}: forged\r\n`).join('')}X-Kept: 3\r\n`, 'ada');
    expect(Object.entries(headers).filter((header) => JSON.stringify(header).includes('forged'))).toEqual([]);
    expect(headers).toMatchObject({ 'x-fleet-principal': 'ada', 'x-forwarded-host': 'fleet.example', 'x-kept': '3' });
  });

  test('the headers that Connection names', async () => {
    const { headers } = await forward('Connection: X-Hop , x-other\r\nX-Hop: 1\r\nX-Other: 2\r\nX-Kept: 3\r\n');
    expect(headers).not.toHaveProperty('x-hop');
    expect(headers).not.toHaveProperty('x-other');
    expect(headers['x-kept']).toBe('3');
  });
});

describe('the trace context of a request', () => {
  test('is forwarded when it is valid', async () => {
    const { headers } = await forward(`Traceparent: ${TRACE}\r\nTracestate: a=1\r\nTracestate: b=2\r\n`);
    expect(headers).toMatchObject({ traceparent: TRACE, tracestate: 'a=1,b=2' });
  });

  test.each([
    ['an invalid traceparent', 'Traceparent: forged\r\nTracestate: a=1\r\n'],
    ['two of them', `Traceparent: ${TRACE}\r\nTraceparent: ${TRACE}\r\nTracestate: a=1\r\n`],
    ['a tracestate without a traceparent', 'Tracestate: a=1\r\n'],
  ])('is replaced by a new one for %s', async (_what, lines) => {
    const { headers } = await forward(lines);
    expect(headers.traceparent).toMatch(/^00-[0-9a-f]{32}-[0-9a-f]{16}-00$/);
    expect(headers.traceparent).not.toContain(TRACE.slice(3, 35));
    expect(headers).not.toHaveProperty('tracestate');
  });

  test('loses an invalid tracestate alone', async () => {
    const { headers } = await forward(`Traceparent: ${TRACE}\r\nTracestate: a=\xe4\r\n`);
    expect([headers.traceparent, headers.tracestate]).toEqual([TRACE, undefined]);
  });
});

/** The head that the client gets when the service answers with these header lines. */
async function answerWith(lines: string[], request = 'GET /agents HTTP/1.1\r\nHost: a\r\nX-Request-Id: mine\r\n') {
  const upstream = await startTcpUpstream((socket) => {
    socket.on('data', () =>
      socket.end(`HTTP/1.1 200 Fine\r\n${lines.map((line) => `${line}\r\n`).join('')}\r\nabc`, 'latin1'),
    );
  });
  const gateway: Gateway = await startGateway(upstream.url);
  const [head = '', body] = (await exchangeRaw(gateway.port, `${request}Connection: close\r\n\r\n`)).split('\r\n\r\n');
  const [status, ...headers] = head.split('\r\n');
  return { status, headers: headers.map((line) => line.replace(/^[^:]+/, (name) => name.toLowerCase())).sort(), body };
}

describe('a client receives', () => {
  test('end-to-end headers only, one Date, and the request id of the gateway', async () => {
    const { status, headers, body } = await answerWith([
      ...[
        'Content-Length: 3',
        'Connection: close, X-Hop',
        'X-Hop: 1',
        'Keep-Alive: timeout=5',
        'Trailer: X-T',
        'Upgrade: h2c',
      ],
      ...[
        'Proxy-Authenticate: Basic',
        'Proxy-Connection: close',
        'TE: trailers',
        'Server: secret/1.0',
        'X-Powered-By: secret',
      ],
      ...[
        'X-Fleet-Node: secret',
        'X-Request-Id: other',
        'Date: Sat, 01 Jan 2022 00:00:00 GMT',
        'ETag: "e"',
        'X-Note: caf\xc3\xa9',
      ],
      ...['Set-Cookie: a=1', 'Set-Cookie: b=2', 'Link: <a>; rel="next"', 'Link: <b>; rel="prev"'],
      ...['Idempotency-Replayed: true', 'Location: /agents/1'],
    ]);
    expect(status).toBe('HTTP/1.1 200 OK');
    expect(body).toBe('abc');
    expect(headers).toEqual([
      'connection: close',
      'content-length: 3',
      'date: Sat, 01 Jan 2022 00:00:00 GMT',
      'etag: "e"',
      'idempotency-replayed: true',
      'link: <a>; rel="next"',
      'link: <b>; rel="prev"',
      'location: /agents/1',
      'set-cookie: a=1',
      'set-cookie: b=2',
      'x-content-type-options: nosniff',
      'x-note: caf\xc3\xa9',
      'x-request-id: mine',
    ]);
  });

  test('the bytes of a header unchanged, also before a body of unknown length', async () => {
    const { headers } = await answerWith(['X-Note: caf\xc3\xa9']);
    expect(headers).toContain('x-note: caf\xc3\xa9');
    expect(headers).toContain('transfer-encoding: chunked');
  });

  test('a Date when the service sends none', async () => {
    const { headers } = await answerWith(['Content-Length: 3']);
    expect(headers.filter((line) => line.startsWith('date: '))).toHaveLength(1);
  });

  test('a response that is not chunked over HTTP/1.0', async () => {
    const { headers, body } = await answerWith([], 'GET /agents HTTP/1.0\r\nHost: a\r\n');
    expect(headers.join()).not.toContain('transfer-encoding');
    expect(body).toBe('abc');
  });
});
