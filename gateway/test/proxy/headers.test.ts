import { describe, expect, test } from '@jest/globals';
import { type Principal, toPrincipal } from '../../src/auth/schemes/principal.ts';
import { type Received, startProxy, startTcpUpstream, startUpstream } from '../support/proxy.ts';
import { exchangeRaw } from '../support/raw-client.ts';

const ADA = toPrincipal({
  actor: { type: 'user', id: '7', name: 'ada@example.com' },
  uniqueName: 'ada@example.com',
  scopes: ['agents:read', 'tasks:read'],
});

async function forward(headers: string, caller?: Principal): Promise<Received> {
  const upstream = await startUpstream();
  const { port } = await startProxy(upstream.url, {}, caller && { caller });
  await exchangeRaw(port, `GET /agents HTTP/1.1\r\nHost: fleet.example\r\nConnection: close\r\n${headers}\r\n`);
  expect(upstream.received).toHaveLength(1);
  return upstream.received[0] as Received;
}

const TRACE = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';
const NEW_TRACE = expect.stringMatching(/^00-(?!0af7651916cd43dd8448eb211c80319c)[0-9a-f]{32}-[0-9a-f]{16}-00$/);

describe('a service receives', () => {
  test('the documented headers and no others for a plain request', async () => {
    const { headers } = await forward('Accept: */*\r\nX-Request-Id: r-1\r\n', ADA);
    expect(headers).toEqual({
      host: expect.stringMatching(/^127\.0\.0\.1:\d+$/),
      connection: 'keep-alive',
      accept: '*/*',
      'x-request-id': 'r-1',
      traceparent: NEW_TRACE,
      'x-forwarded-for': '127.0.0.1',
      'x-forwarded-proto': 'http',
      'x-forwarded-host': 'fleet.example',
      'x-fleet-principal': 'user:ada@example.com',
      'x-fleet-scopes': 'agents:read tasks:read',
      'x-fleet-actor-id': '7',
      'x-fleet-actor-name': 'ada@example.com',
      'x-fleet-internal-token': 'an-internal-token',
    });
  });

  test('no header that Connection lists, but the request id', async () => {
    const { headers } = await forward('X-Request-Id: r-2\r\nX-Hop: 1\r\nConnection: x-request-id , X-Hop\r\n', ADA);
    expect(headers['x-request-id']).toBe('r-2');
    expect(headers).not.toHaveProperty('x-hop');
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

  test.each([
    ['unchanged when it is valid', `Traceparent: ${TRACE}\r\nTracestate: a=1\r\nTracestate: b=2`, TRACE, 'a=1,b=2'],
    ['without an invalid tracestate', `Traceparent: ${TRACE}\r\nTracestate: a=\xe4`, TRACE, undefined],
    ['new for an invalid traceparent', 'Traceparent: forged\r\nTracestate: a=1', NEW_TRACE, undefined],
    ['new for two', `Traceparent: ${TRACE}\r\nTraceparent: ${TRACE}\r\nTracestate: a=1`, NEW_TRACE, undefined],
    ['new for a tracestate without a traceparent', 'Tracestate: a=1', NEW_TRACE, undefined],
  ])('a trace context that is %s', async (_what, lines, traceparent, tracestate) => {
    const { headers } = await forward(`${lines}\r\n`);
    expect([headers.traceparent, headers.tracestate]).toEqual([traceparent, tracestate]);
  });
});

/** The head that the client receives when the service responds with these header lines. */
async function answerWith(lines: string[], version = '1.1', clientPrefix?: string) {
  const upstream = await startTcpUpstream((socket) => {
    socket.on('data', () =>
      socket.end(`HTTP/1.1 200 Fine\r\n${lines.map((line) => `${line}\r\n`).join('')}\r\nabc`, 'latin1'),
    );
  });
  const { port } = await startProxy(upstream.url, {}, { clientPrefix });
  const request = `GET /agents HTTP/${version}\r\nHost: a\r\nX-Request-Id: mine\r\nConnection: close\r\n\r\n`;
  const [head = '', body] = (await exchangeRaw(port, request)).split('\r\n\r\n');
  const [status, ...headers] = head.split('\r\n');
  return { status, headers: headers.map((line) => line.replace(/^[^:]+/, (name) => name.toLowerCase())).sort(), body };
}

describe('a client receives', () => {
  test('end-to-end headers only, one Date, and the request id of the gateway', async () => {
    const { status, headers, body } = await answerWith([
      ...['Content-Length: 3', 'Connection: close, X-Hop', 'X-Hop: 1', 'Keep-Alive: timeout=5', 'Trailer: X-T'],
      ...['Upgrade: h2c', 'Proxy-Authenticate: Basic', 'Proxy-Connection: close', 'TE: trailers'],
      ...['Server: secret/1.0', 'X-Powered-By: secret', 'X-Fleet-Node: secret', 'X-Request-Id: other'],
      ...['Date: Sat, 01 Jan 2022 00:00:00 GMT', 'ETag: "e"', 'X-Note: caf\xc3\xa9'],
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

  test('links and locations with the prefix that a proxy before the gateway removes', async () => {
    const lines = [
      ...[
        'Link: </a?b=%3C/c>; rel="next", </d>; rel="prev"',
        'Link: <https://e.example/f>; rel="x", <//g.example/>; rel="y"',
      ],
      ...['Location: /agents/1', 'X-Path: /h', 'Content-Length: 3'],
    ];
    expect((await answerWith(lines, '1.1', '/ops/fleet')).headers).toEqual(
      expect.arrayContaining([
        'link: </ops/fleet/a?b=%3C/c>; rel="next", </ops/fleet/d>; rel="prev"',
        'link: <https://e.example/f>; rel="x", <//g.example/>; rel="y"',
        'location: /ops/fleet/agents/1',
        'x-path: /h',
      ]),
    );
  });

  test('links to two pages of a list with the longest query', async () => {
    const link = `Link: <${'%2C'.repeat(16_384)}>; rel="next", <${'%2C'.repeat(16_384)}>; rel="prev"`;
    const { status, headers } = await answerWith(['Content-Length: 3', link]);
    expect(status).toBe('HTTP/1.1 200 OK');
    expect(headers).toContain(link.replace('L', 'l'));
  });

  test('a Date when the service sends none', async () => {
    const { headers } = await answerWith(['Content-Length: 3']);
    expect(headers.filter((line) => line.startsWith('date: '))).toHaveLength(1);
  });

  test('a response that is not chunked over HTTP/1.0', async () => {
    const { headers, body } = await answerWith([], '1.0');
    expect(headers.join()).not.toContain('transfer-encoding');
    expect(body).toBe('abc');
  });
});
