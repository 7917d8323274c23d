import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import {
  closeAll,
  exchangeRaw,
  type Gateway,
  RawClient,
  startGateway,
  startUpstream,
  statusesIn,
  type Upstream,
} from './proxy-fixture.ts';

let upstream: Upstream;
let gateway: Gateway;

beforeEach(async () => {
  upstream = await startUpstream();
  gateway = await startGateway(upstream.url);
});
afterEach(closeAll);

const HIDDEN = 'GET /hidden HTTP/1.1\r\nHost: evil.example\r\nX-Fleet-Principal: admin\r\n\r\n';

function seen(): string[] {
  return upstream.received.map(({ method, url, body }) => `${method} ${url} ${body}`.trim());
}

describe('framing that two servers could read differently is refused', () => {
  test.each([
    [
      'Content-Length and Transfer-Encoding',
      `Content-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n${HIDDEN}`,
    ],
    [
      'Transfer-Encoding and Content-Length',
      `Transfer-Encoding: chunked\r\nContent-Length: 4\r\n\r\n0\r\n\r\n${HIDDEN}`,
    ],
    ['two different Content-Lengths', `Content-Length: 0\r\nContent-Length: ${HIDDEN.length}\r\n\r\n${HIDDEN}`],
    ['two equal Content-Lengths', `Content-Length: 1\r\nContent-Length: 1\r\n\r\na${HIDDEN}`],
    ['a list of Content-Lengths', `Content-Length: 1, 1\r\n\r\na${HIDDEN}`],
    ['a signed Content-Length', `Content-Length: +1\r\n\r\na${HIDDEN}`],
    ['a negative Content-Length', `Content-Length: -1\r\n\r\n${HIDDEN}`],
    ['a hexadecimal Content-Length', `Content-Length: 0x1\r\n\r\na${HIDDEN}`],
    ['an unknown transfer coding', `Transfer-Encoding: xchunked\r\n\r\n0\r\n\r\n${HIDDEN}`],
    ['a coding before chunked', `Transfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n${HIDDEN}`],
    ['chunked twice', `Transfer-Encoding: chunked, chunked\r\n\r\n0\r\n\r\n${HIDDEN}`],
    ['two Transfer-Encodings', `Transfer-Encoding: chunked\r\nTransfer-Encoding: identity\r\n\r\n0\r\n\r\n${HIDDEN}`],
    ['identity', `Transfer-Encoding: identity\r\nContent-Length: 1\r\n\r\na${HIDDEN}`],
    ['a blank before the colon', `Transfer-Encoding : chunked\r\n\r\n0\r\n\r\n${HIDDEN}`],
    ['a folded header', `Content-Length: 0\r\nX-A: b\r\n Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n${HIDDEN}`],
    ['a bare line feed', `X-A: b\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n${HIDDEN}`],
    ['a bare carriage return', `X-A: b\rTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n${HIDDEN}`],
    ['NUL in a header', `X-A: b\0c\r\nContent-Length: 0\r\n\r\n${HIDDEN}`],
  ])('%s', async (_name, rest) => {
    const answer = await exchangeRaw(gateway.port, `POST /agents HTTP/1.1\r\nHost: a\r\n${rest}`);
    expect(statusesIn(answer)).toEqual([400]);
    expect(answer).toContain('"error":"validation_error"');
    expect(seen()).toEqual([]);
  });

  test('chunked in HTTP/1.0', async () => {
    const answer = await exchangeRaw(
      gateway.port,
      `POST /agents HTTP/1.0\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n${HIDDEN}`,
    );
    expect(statusesIn(answer)).toEqual([400]);
    expect(seen()).toEqual([]);
  });

  test.each([
    ['a chunk length that is none', 'zz\r\nabc\r\n0\r\n\r\n'],
    ['a chunk longer than it says', '2\r\nabc\r\n0\r\n\r\n'],
    ['a chunk length too large to count', 'ffffffffffffffffff\r\nabc\r\n0\r\n\r\n'],
    ['a bare line feed after a chunk length', '3\nabc\r\n0\r\n\r\n'],
  ])('%s: the service never gets a whole request', async (_name, chunks) => {
    await exchangeRaw(
      gateway.port,
      `POST /agents HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n${chunks}${HIDDEN}`,
    );
    expect(seen()).toEqual([]);
  });
});

describe('a request within a body stays a body', () => {
  test.each(['POST', 'PUT', 'PATCH', 'DELETE', 'GET', 'OPTIONS'])('chunked %s', async (method) => {
    const chunked = `${HIDDEN.length.toString(16)};ext="1"\r\n${HIDDEN}\r\n0\r\nX-Fleet-Principal: admin\r\n\r\n`;
    const request = `${method} /agents HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: Chunked\r\n\r\n${chunked}`;
    const answer = await exchangeRaw(
      gateway.port,
      `${request}GET /next HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n`,
    );
    expect(statusesIn(answer)).toEqual([200, 200]);
    expect(seen()).toEqual([`${method} /agents ${HIDDEN}`.trim(), 'GET /next']);
    expect(upstream.received[0]?.headers).not.toHaveProperty('x-fleet-principal');
  });

  test.each(['POST', 'DELETE', 'GET', 'HEAD'])('%s with a length', async (method) => {
    const request = `${method} /agents HTTP/1.1\r\nHost: a\r\nContent-Length: ${HIDDEN.length}\r\n\r\n${HIDDEN}`;
    const answer = await exchangeRaw(
      gateway.port,
      `${request}GET /next HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n`,
    );
    expect(statusesIn(answer)).toEqual([200, 200]);
    expect(seen()).toEqual([`${method} /agents ${HIDDEN}`.trim(), 'GET /next']);
  });

  test('a length cut short does not reach the service as a whole request', async () => {
    const client = new RawClient(gateway.port).send(
      'POST /agents HTTP/1.1\r\nHost: a\r\nContent-Length: 40000\r\n\r\nabc',
    );
    await client.until(() => true);
    client.socket.end();
    await client.untilClosed();
    expect(seen()).toEqual([]);
  });

  test('a header that Connection names cannot take away the framing', async () => {
    const answer = await exchangeRaw(
      gateway.port,
      `POST /agents HTTP/1.1\r\nHost: a\r\nConnection: close, content-length, host, x-fleet-internal-token\r\nContent-Length: 3\r\n\r\nabc`,
    );
    expect(statusesIn(answer)).toEqual([200]);
    expect(seen()).toEqual(['POST /agents abc']);
    expect(upstream.received[0]?.headers).toMatchObject({
      'content-length': '3',
      'x-fleet-internal-token': 'an-internal-token',
    });
  });

  test('pipelined requests are answered in order', async () => {
    const requests = ['/1', '/2', '/3'].map((path) => `GET ${path} HTTP/1.1\r\nHost: a\r\n`);
    const answer = await exchangeRaw(gateway.port, `${requests.join('\r\n')}Connection: close\r\n\r\n`);
    expect(statusesIn(answer)).toEqual([200, 200, 200]);
    expect(seen().sort()).toEqual(['GET /1', 'GET /2', 'GET /3']);
  });
});

describe('Expect', () => {
  test('100-continue is answered here, and neither it nor a forged identity goes on', async () => {
    const client = new RawClient(gateway.port);
    client.send(
      'POST /agents HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\nX-Fleet-Principal: admin\r\nContent-Length: 3\r\n\r\n',
    );
    expect(await client.until((text) => text.includes('\r\n\r\n'))).toBe('HTTP/1.1 100 Continue\r\n\r\n');
    client.send('abc');
    expect(statusesIn(await client.until((text) => text.includes('"ok"')))).toEqual([100, 200]);
    expect(seen()).toEqual(['POST /agents abc']);
    expect(upstream.received[0]?.headers).not.toHaveProperty('expect');
    expect(upstream.received[0]?.headers).not.toHaveProperty('x-fleet-principal');
  });

  test('anything else is ignored, and does not go on', async () => {
    const answer = await exchangeRaw(
      gateway.port,
      'POST /a HTTP/1.1\r\nHost: a\r\nExpect: 200-ok\r\nContent-Length: 0\r\nConnection: close\r\n\r\n',
    );
    expect(statusesIn(answer)).toEqual([200]);
    expect(upstream.received[0]?.headers).not.toHaveProperty('expect');
  });
});
