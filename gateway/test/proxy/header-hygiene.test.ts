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

describe('to the service go', () => {
  test('exactly these headers for a plain request', async () => {
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

  test("the client's own end-to-end headers, bytes unchanged", async () => {
    const { headers } = await forward(
      'If-Match: "a", "b"\r\nIdempotency-Key: k\r\nX-Note: caf\xc3\xa9 \xff\r\nMy_Note: 1\r\n',
    );
    expect(headers).toMatchObject({
      'if-match': '"a", "b"',
      'idempotency-key': 'k',
      'x-note': 'caf\xc3\xa9 \xff',
      my_note: '1',
    });
  });

  test('no principal when there is none', async () => {
    expect((await forward('')).headers).not.toHaveProperty('x-fleet-principal');
  });

  test('the internal token once, and ours', async () => {
    const { rawHeaders } = await forward('X-Fleet-Internal-Token: forged\r\nx-fleet-internal-token: forged\r\n');
    const at = rawHeaders.flatMap((name, index) => (index % 2 === 0 && /internal/i.test(name) ? [index] : []));
    expect(at.map((index) => rawHeaders[index + 1])).toEqual(['an-internal-token']);
  });
});

describe('to the service do not go', () => {
  test.each([
    ...[
      'X-Fleet-Principal',
      'x-fleet-principal',
      'X-FLEET-PRINCIPAL',
      'X_Fleet_Principal',
      'x-fleet_principal',
      'x_fleet-anything',
    ],
    ...[
      'X-Fleet-Scope',
      'X_FLEET_INTERNAL_TOKEN',
      'X-Forwarded-Port',
      'X_Forwarded_Prefix',
      'Forwarded',
      'X-Real-IP',
      'X_Real_IP',
    ],
    ...['Authorization', 'X-API-Key', 'X_API_KEY', 'Cookie', 'Set-Cookie', 'Keep-Alive', 'TE', 'Trailer', 'Upgrade'],
    ...[
      'Proxy-Connection',
      'Proxy-Authorization',
      'Proxy-Authenticate',
      'HTTP2-Settings',
      'Content_Length',
      'Transfer_Encoding',
    ],
  ])('%s', async (name) => {
    const { headers } = await forward(`${name}: forged\r\n`, 'ada');
    const mimics = Object.keys(headers).filter((key) => JSON.stringify(headers[key]).includes('forged'));
    expect(mimics).toEqual([]);
    expect(headers['x-fleet-principal']).toBe('ada');
  });

  test('what the client says about where it comes from', async () => {
    const { headers } = await forward(
      'X-Forwarded-For: 6.6.6.6\r\nX-Forwarded-Host: evil\r\nX-Forwarded-Proto: https\r\n',
    );
    expect(headers).toMatchObject({
      'x-forwarded-for': '127.0.0.1',
      'x-forwarded-host': 'fleet.example',
      'x-forwarded-proto': 'http',
    });
  });

  test('what Connection names', async () => {
    const { headers } = await forward('Connection: X-Hop , x-other\r\nX-Hop: 1\r\nX-Other: 2\r\nX-Kept: 3\r\n');
    expect(headers).not.toHaveProperty('x-hop');
    expect(headers).not.toHaveProperty('x-other');
    expect(headers['x-kept']).toBe('3');
  });

  test('a header called __proto__, which changes nothing else either', async () => {
    const { headers } = await forward('__proto__: forged\r\nconstructor: c\r\nX-Kept: 3\r\n');
    expect(headers['x-kept']).toBe('3');
    expect(Object.values(headers)).not.toContain('forged');
  });
});

describe('traceparent', () => {
  const restarted = /^00-[0-9a-f]{32}-[0-9a-f]{16}-00$/;

  test('a valid one is passed on with its tracestate', async () => {
    const { headers } = await forward(`Traceparent: ${TRACE}\r\nTracestate: vendor=1\r\n`);
    expect(headers).toMatchObject({ traceparent: TRACE, tracestate: 'vendor=1' });
  });

  test.each([
    '00-00000000000000000000000000000000-b7ad6b7169203331-01',
    '00-0af7651916cd43dd8448eb211c80319c-0000000000000000-01',
    'ff-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01',
    '00-0AF7651916CD43DD8448EB211C80319C-b7ad6b7169203331-01',
    'cc-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01.more',
    `${TRACE}-more`,
    `${TRACE}, ${TRACE}`,
    `${TRACE}\r\nTraceparent: ${TRACE}`,
    `cc${TRACE.slice(2)}-more\r\nTraceparent: cc${TRACE.slice(2)}-more`,
    'forged',
  ])('%j is replaced, and its tracestate dropped', async (invalid) => {
    const { headers } = await forward(`Traceparent: ${invalid}\r\nTracestate: vendor=1\r\n`);
    expect(headers.traceparent).toMatch(restarted);
    expect(headers).not.toHaveProperty('tracestate');
  });

  test.each([
    ['a later version', `cc${TRACE.slice(2)}`, TRACE],
    ['what a later version puts behind it', `cc${TRACE.slice(2)}-what-is.more`, TRACE],
    ['flags of no meaning yet', `${TRACE.slice(0, -2)}ff`, `${TRACE.slice(0, -2)}03`],
    ['blanks around it', ` \t${TRACE} \t`, TRACE],
  ])('of one with %s goes on what is of version 00', async (_what, sent, passed) => {
    const { headers } = await forward(`Traceparent: ${sent}\r\nTracestate: vendor=1\r\n`);
    expect(headers).toMatchObject({ traceparent: passed, tracestate: 'vendor=1' });
  });

  test('a tracestate alone is dropped', async () => {
    const { headers } = await forward('Tracestate: vendor=1\r\n');
    expect(headers.traceparent).toMatch(restarted);
    expect(headers).not.toHaveProperty('tracestate');
  });

  const members = (count: number, length = 0) =>
    Array.from({ length: count }, (_, n) => `m${n}=${'x'.repeat(length)}1`).join(',');
  const onlyShort = `a=1,${members(5, 80)},z=1`;

  test.each([
    ['several headers, as one', 'a=1,b=2\r\nTracestate: c=3', 'a=1,b=2,c=3'],
    ['blanks and empty members', 'a=1 \t, \t b=2,,', 'a=1,b=2'],
    ['all that a key and a value may hold', 'a0_-*/@x= !+-.<>~', 'a0_-*/@x= !+-.<>~'],
    ['32 members', members(32), members(32)],
    ['over 512 characters, without its long members', `a=1,long=${'x'.repeat(130)},${members(5, 80)},z=1`, onlyShort],
    ['over 512 characters, without its last members', members(9, 80), members(6, 80)],
  ])('tracestate: %s', async (_what, sent, passed) => {
    const { headers } = await forward(`Traceparent: ${TRACE}\r\nTracestate: ${sent}\r\n`);
    expect(headers).toMatchObject({ traceparent: TRACE, tracestate: passed });
  });

  test.each([
    ['empty', ''],
    ['of empty members', ' , '],
    ['with a key in upper case', 'A=1'],
    ['with a member that has no value', 'a'],
    ['with a blank in a key', 'a =1'],
    ['with an = in a value', 'a=1,b=='],
    ['with a byte that is not ASCII', 'a=\xe4'],
    ['of 33 members', members(33)],
  ])('a tracestate %s is dropped, the traceparent is not', async (_what, sent) => {
    const { headers } = await forward(`Traceparent: ${TRACE}\r\nTracestate: ${sent}\r\n`);
    expect(headers.traceparent).toBe(TRACE);
    expect(headers).not.toHaveProperty('tracestate');
  });

  test('no two requests get the same', async () => {
    const upstream = await startUpstream();
    const { origin } = await startGateway(upstream.url);
    for (let n = 0; n < 300; n++) await (await fetch(`${origin}/agents`)).arrayBuffer();
    expect(new Set(upstream.received.map(({ headers }) => headers.traceparent)).size).toBe(300);
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

describe('to the client go', () => {
  test('end-to-end headers only, one Date, and our own request id', async () => {
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
    ]);
    expect(status).toBe('HTTP/1.1 200 OK');
    expect(body).toBe('abc');
    expect(headers).toEqual([
      'connection: close',
      'content-length: 3',
      'date: Sat, 01 Jan 2022 00:00:00 GMT',
      'etag: "e"',
      'link: <a>; rel="next"',
      'link: <b>; rel="prev"',
      'set-cookie: a=1',
      'set-cookie: b=2',
      'x-content-type-options: nosniff',
      'x-note: caf\xc3\xa9',
      'x-request-id: mine',
    ]);
  });

  test('the bytes of a header as they are, also before a body of unknown length', async () => {
    const { headers } = await answerWith(['X-Note: caf\xc3\xa9']);
    expect(headers).toContain('x-note: caf\xc3\xa9');
    expect(headers).toContain('transfer-encoding: chunked');
  });

  test('a Date when the service sends none', async () => {
    const { headers } = await answerWith(['Content-Length: 3']);
    expect(headers.filter((line) => line.startsWith('date: '))).toHaveLength(1);
  });

  test('to an HTTP/1.0 client an answer that is not chunked', async () => {
    const { headers, body } = await answerWith([], 'GET /agents HTTP/1.0\r\nHost: a\r\n');
    expect(headers.join()).not.toContain('transfer-encoding');
    expect(body).toBe('abc');
  });
});
