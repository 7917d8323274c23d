import { describe, expect, test } from '@jest/globals';
import { API_KEY } from '../support/gateway.ts';
import { RawClient, statusesIn } from '../support/raw-client.ts';
import { expectRefusal, request, shareTarget } from './target.ts';

const target = shareTarget();

const HIDDEN = `GET /agents/hidden HTTP/1.1\r\nHost: a\r\nX-API-Key: ${API_KEY}\r\nConnection: close\r\n\r\n`;
const LAST = '0\r\n\r\n';

const reached = () => target.reached().map(({ url, body }) => url + body);

/** A POST with these header lines and the text after them, on a connection that the client keeps open. */
function post(lines: string[], rest: string): string {
  return `${['POST /agents HTTP/1.1', 'Host: a', `X-API-Key: ${API_KEY}`, ...lines, '', ''].join('\r\n')}${rest}`;
}

test.each([
  ...['Content-Length:', 'Content-Length: 0, 0', `Content-Length: 0, ${HIDDEN.length}`, 'Content-Length: 1 0'],
  ...['Content-Length: +0', 'Content-Length: -1', 'Content-Length: 0.0', 'Content-Length: 0x0'],
  ...['Content-Length: 0e1', 'Content-Length: 18446744073709551616', 'Content-Length: 0a', 'Content-Length\t: 0'],
  ...['Content-Length : 0', 'Content-Length\0: 0', `Content-Length: 0\r\nContent-Length: ${HIDDEN.length}`],
  ...['Content-Length: 0\r\nContent-Length: 0', 'Content-Length: 4\r\nTransfer-Encoding: chunked'],
  ...['Transfer-Encoding: chunked\r\nContent-Length: 4'],
])('refuses with 400 a length that servers could read differently: %j', async (lines) => {
  expectRefusal(await target.send(post([lines], `${LAST}${HIDDEN}`)), 400, target);
});

describe('a transfer coding', () => {
  test.each([
    ...['xchunked', 'chunked-', 'chunkedx', 'chunked, identity', 'identity, chunked', 'gzip', 'gzip, chunked'],
    ...['identity', 'chunked, chunked', '"chunked"', 'chunked;q=1', 'chun ked', '\x0bchunked', 'chunked\x0b'],
    ...['\x00chunked', ',chunked', 'chunked,', ''],
  ])('of %j is refused with 400', async (coding) => {
    expectRefusal(await target.send(post([`Transfer-Encoding: ${coding}`], `${LAST}${HIDDEN}`)), 400, target);
  });

  test.each([
    ...[
      'Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked',
      'Transfer-Encoding: chunked\r\nTransfer-Encoding: x',
    ],
    ...['Transfer-Encoding : chunked', 'Transfer-Encoding:\r\n chunked', 'X-A: b\r\n Transfer-Encoding: chunked'],
    ...[
      'X-A: b\nTransfer-Encoding: chunked',
      'X-A: b\rTransfer-Encoding: chunked',
      'X-A\r\nTransfer-Encoding: chunked',
    ],
    ...[': b\r\nTransfer-Encoding: chunked'],
  ])('that servers could read differently is refused with 400: %j', async (lines) => {
    expectRefusal(await target.send(post([lines], `${LAST}${HIDDEN}`)), 400, target);
  });

  test('in HTTP/1.0 is refused with 400', async () => {
    for (const rest of [LAST, `${LAST}${HIDDEN}`]) {
      const text = post(['Transfer-Encoding: chunked'], rest).replace('HTTP/1.1', 'HTTP/1.0');
      expectRefusal(await target.send(text), 400, target);
    }
  });

  test('in a similar header name has no meaning, and is not forwarded', async () => {
    const lines = ['Transfer_Encoding: chunked', 'Content_Length: 5', 'Content-Length: 0'];
    expect(statusesIn(await target.send(`${post(lines, '')}${HIDDEN}`))).toEqual([200, 200]);
    expect(reached().sort()).toEqual(['/agents', '/agents/hidden']);
    expect(
      target
        .reached()
        .flatMap(({ rawHeaders }) => rawHeaders)
        .join(),
    ).not.toMatch(/[a-z]_/i);
  });
});

const MALFORMED_CHUNKS = [
  // The chunk size.
  ...['\r\nabc\r\n0\r\n\r\n', 'g\r\nabc\r\n0\r\n\r\n', '0x3\r\nabc\r\n0\r\n\r\n', '+3\r\nabc\r\n0\r\n\r\n'],
  ...['-3\r\nabc\r\n0\r\n\r\n', ' 3\r\nabc\r\n0\r\n\r\n', '0 3\r\nabc\r\n0\r\n\r\n', '2\r\nabc\r\n0\r\n\r\n'],
  ...['10000000000000003\r\nabc\r\n0\r\n\r\n', 'fffffffffffffffff\r\nabc\r\n0\r\n\r\n'],
  ...['3\r\nabc\n0\r\n\r\n', '3\nabc\r\n0\r\n\r\n', '3\rabc\r\n0\r\n\r\n'],
  // Chunk extensions.
  ...[`3;a\n${HIDDEN}\r\nabc\r\n0\r\n\r\n`, `3;a\rb\r\nabc\r\n0\r\n\r\n`, '3;a=\0\r\nabc\r\n0\r\n\r\n'],
  ...['3 a=b\r\nabc\r\n0\r\n\r\n', `3;${'a'.repeat(20_000)}\r\nabc\r\n0\r\n\r\n`],
  // The last chunk and trailers.
  ...['3\r\nabc\r\n0\n\n', '3\r\nabc\r\n\r\n', '0\r\ntrailer\r\n\r\n', '0\r\nX-A: b\r\n c\r\n\r\n'],
  ...['0\r\nX-A: b\nX-B: c\r\n\r\n', '3\r\nabc\r\n0\r\nContent-Length: 9\r\n\r\n'],
  ...['3\r\nabc\r\n0\r\nTransfer-Encoding: chunked\r\n\r\n', `0\r\n${`X-A: ${'a'.repeat(1000)}\r\n`.repeat(100)}\r\n`],
];
test.each(MALFORMED_CHUNKS.map((chunks) => [chunks.slice(0, 60), chunks]))(
  'never forwards the malformed chunks %j or the bytes after them',
  async (_start, chunks) => {
    const response = await target.send(post(['Transfer-Encoding: chunked'], `${chunks}${HIDDEN}`));
    expect(statusesIn(response).join()).toMatch(/^(?:4(?:00|13|31))?$/);
    expect(target.reached()).toEqual([]);
  },
);

describe('a well-formed body', () => {
  test.each([
    ['a length with leading zeros', '00000003\r\nabc\r\n0\r\n\r\n'],
    ['a last chunk of many zeros', '3\r\nabc\r\n00000000\r\n\r\n'],
    ['extensions', '3;a="b;c";d\r\nabc\r\n0;e\r\n\r\n'],
    ['trailers', '3\r\nabc\r\n0\r\nX-A: b\r\n\r\n'],
  ])('of chunks with %s reaches the service, and the next request is read', async (_what, chunks) => {
    const response = await target.send(post(['Transfer-Encoding: chunked'], `${chunks}${HIDDEN}`));
    expect(statusesIn(response)).toEqual([200, 200]);
    expect(reached().sort()).toEqual(['/agents/hidden', '/agentsabc']);
  });

  test('sets no identity, framing or credentials by its trailer', async () => {
    const trailers = ['X-Fleet-Principal: user:admin', 'X-Fleet-Internal-Token: forged', 'Host: evil'];
    const chunks = `3\r\nabc\r\n0\r\n${trailers.join('\r\n')}\r\n\r\n`;
    const lines = ['Transfer-Encoding: chunked', 'Trailer: X-Fleet-Principal', 'TE: trailers'];
    expect(statusesIn(await target.send(post(lines, `${chunks}${HIDDEN}`)))).toEqual([200, 200]);
    const received = target.reached().find(({ method }) => method === 'POST');
    expect(received?.headers).toMatchObject({ 'x-fleet-principal': 'key:ci' });
    expect(JSON.stringify(received)).not.toMatch(/user:admin|forged|evil|trailer/i);
  });

  test('has no credentials in its trailer: the request is refused with 401', async () => {
    const head = 'POST /agents HTTP/1.1\r\nHost: a\r\nConnection: close\r\nTransfer-Encoding: chunked\r\n\r\n';
    const response = await target.send(`${head}0\r\nX-API-Key: ${API_KEY}\r\n\r\n`);
    expect(statusesIn(response)).toEqual([401]);
    expect(target.reached()).toEqual([]);
  });

  const chunked = `${HIDDEN.length.toString(16)};ext="1"\r\n${HIDDEN}\r\n0\r\nX-Fleet-Principal: user:admin\r\n\r\n`;
  test.each(['GET', 'HEAD', 'PUT', 'DELETE', 'OPTIONS'])(
    'of %s that looks like a request stays a body',
    async (method) => {
      for (const [line, body] of [
        [`Content-Length: ${HIDDEN.length}`, HIDDEN],
        ['Transfer-Encoding: Chunked', chunked],
      ] as const) {
        target.forget();
        const text = [`${method} /agents/7 HTTP/1.1`, 'Host: a', `X-API-Key: ${API_KEY}`, line, '', body].join('\r\n');
        await target.send(`${text}${request('GET /agents/next HTTP/1.1')}`);
        const urls = target.reached().map(({ url }) => url);
        expect(urls.sort()).toEqual(['/agents/7', '/agents/next']);
        for (const { headers } of target.reached()) expect(headers['x-fleet-principal']).toBe('key:ci');
      }
    },
  );
});

test('a body that is shorter than its length is never forwarded as a complete request', async () => {
  const client = new RawClient(target.port).send(post(['Content-Length: 40000'], 'abc'));
  client.socket.end();
  await client.untilClosed();
  expect(reached()).toEqual([]);
});

test('pipelined requests are answered in order', async () => {
  const methods = ['GET /agents/7', 'PATCH /agents/7', 'GET /agents/7'];
  const text = methods.map((line) => `${line} HTTP/1.1\r\nHost: a\r\nX-API-Key: ${API_KEY}\r\n\r\n`).join('');
  expect(statusesIn(await target.send(`${text}${HIDDEN}`))).toEqual([200, 405, 200, 200]);
});

test.each(['100-continue', '100-Continue', '100-continue, x', 'x'])('Expect: %s is not forwarded', async (expected) => {
  const client = new RawClient(target.port);
  client.send(post(['Content-Length: 3', `Expect: ${expected}`, 'X-Fleet-Principal: user:admin'], ''));
  client.send('abc');
  await client.until((text) => text.includes('"ok"'));
  expect(target.reached()[0]?.headers).not.toHaveProperty('expect');
  expect(target.reached()[0]?.headers['x-fleet-principal']).toBe('key:ci');
  client.socket.destroy();
});
