import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { until } from '@agent-fleet/shared/testing/until';
import { describe, expect, test } from '@jest/globals';
import { API_KEY, allServices, startGateway, type TestGateway, untilReady } from '../support/gateway.ts';
import { respondOk, startUpstream } from '../support/proxy.ts';
import { exchangeRaw, RawClient, statusesIn } from '../support/raw-client.ts';

let gateway: TestGateway;

/** Starts the gateway in front of a service that responds `delayMs` after it has read a request. */
async function start(delayMs = 500) {
  const { url, received } = await startUpstream((req, res) => {
    if (req.url === '/ready') respondOk(req, res);
    else setTimeout(() => respondOk(req, res), delayMs);
  });
  gateway = await startGateway(allServices(url));
  await untilReady(gateway);
  return () => received.filter(({ url }) => url.startsWith('/agents')).map(({ method, url }) => `${method} ${url}`);
}

const HEAD = `Host: a\r\nX-API-Key: ${API_KEY}\r\n`;
const POST = `POST /agents HTTP/1.1\r\n${HEAD}Content-Length: 2\r\n\r\n{}`;

describe('a good request is answered before', () => {
  test.each([
    ['garbage', 'garbage\r\n\r\n', 400],
    ['a TLS hello', '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03', 400],
    ['a request with two lengths', `${POST.replace('\r\n\r\n', '\r\nContent-Length: 3\r\n\r\n')}`, 400],
    ['bad chunks', `POST /agents HTTP/1.1\r\n${HEAD}Transfer-Encoding: chunked\r\n\r\nx\r\n`, 400],
    ['large headers', `GET /agents HTTP/1.1\r\n${HEAD}X-A: ${'a'.repeat(70_000)}\r\n\r\n`, 431],
    ['a CONNECT', 'CONNECT a:1 HTTP/1.1\r\nHost: a:1\r\n\r\n', 405],
  ])('%s behind it is refused', async (_what, bytes, status) => {
    const reached = await start();
    const client = new RawClient(gateway.server.port).send(`${POST}${bytes}`);
    expect(statusesIn(await client.untilClosed())).toEqual([200, status]);
    expect(reached()).toEqual(['POST /agents']);
  });

  test('garbage that arrives later is refused', async () => {
    const reached = await start();
    const client = new RawClient(gateway.server.port).send(POST);
    await until(async () => reached().length === 1);
    client.send('garbage\r\n\r\n').send('garbage\r\n\r\n');
    expect(statusesIn(await client.untilClosed())).toEqual([200, 400]);
  });

  test('garbage after several good requests is refused', async () => {
    await start(100);
    const client = new RawClient(gateway.server.port).send(`${POST}${POST}${POST}garbage\r\n\r\n`);
    expect(statusesIn(await client.untilClosed())).toEqual([200, 200, 200, 400]);
  });
});

test.each([
  ['a proxied request', POST],
  ['a request that the gateway handles itself', 'GET /health HTTP/1.1\r\nHost: a\r\n\r\n'],
  ['two requests', `${POST}${POST}`],
])('%s is answered after its client has closed its side, and the connection closed', async (_what, text) => {
  await start();
  const client = new RawClient(gateway.server.port);
  client.socket.end(text);
  expect(statusesIn(await client.untilClosed())).toEqual(text === `${POST}${POST}` ? [200, 200] : [200]);
});

describe('after its client has closed its side', () => {
  const lease = `POST /agents/7/leases HTTP/1.1\r\n${HEAD}Content-Length: 2\r\n\r\n{}`;
  const read = (path: string, line = '') => `GET ${path} HTTP/1.1\r\n${HEAD}${line}\r\n`;
  test.each([
    ['a read of a task that does not wait is answered', read('/agents/7/tasks/8'), [200]],
    ['a read of a task with wait=0 is answered', read('/agents/7/tasks/8?wait=0'), [200]],
    ['a read of a task that waits is not answered', read('/agents/7/tasks/8?limit=1&wait=5'), []],
    ['a lease is not answered', lease, []],
    ['a lease behind another request is not answered', `${POST}${lease}`, [200]],
  ])('%s', async (_what, text, statuses) => {
    await start();
    const client = new RawClient(gateway.server.port);
    client.socket.end(text);
    expect(statusesIn(await client.untilClosed())).toEqual(statuses);
  });
});

test('an idle connection is closed when its client closes its side', async () => {
  await start();
  const socket = connect({ port: gateway.server.port, allowHalfOpen: true });
  socket.end();
  await new Promise((resolve) => socket.resume().on('end', resolve));
  expect(socket.bytesRead).toBe(0);
  socket.destroy();
});

describe('after a request with Upgrade', () => {
  const upgraded = (protocol: string, line = '', body = '') =>
    `POST /agents/7 HTTP/1.1\r\n${HEAD}Connection: Upgrade\r\nUpgrade: ${protocol}\r\n${line}\r\n${body}`;
  const next = `GET /agents/next HTTP/1.1\r\n${HEAD}Connection: close\r\n\r\n`;
  test.each([
    ['websocket', upgraded('websocket')],
    ['h2c', upgraded('h2c')],
    ['websocket and a length', upgraded('websocket', 'Content-Length: 3\r\n', 'abc')],
    ['h2c and chunks', upgraded('h2c', 'Transfer-Encoding: chunked\r\n', '3\r\nabc\r\n0\r\n\r\n')],
    ['websocket, three times', upgraded('websocket').repeat(3)],
  ])('to %s, the next one in the same segment is answered', async (_what, first) => {
    const reached = await start(0);
    const text = first.replaceAll('POST /agents/7', 'PUT /agents/7');
    const client = new RawClient(gateway.server.port).send(`${text}${next}`);
    const count = first.split('Upgrade: ').length - 1;
    expect(statusesIn(await client.untilClosed())).toEqual(Array(count + 1).fill(200));
    expect(reached()).toEqual([...Array(count).fill('PUT /agents/7'), 'GET /agents/next']);
  });

  test('also on a connection that gets the parser of one that is still open', async () => {
    await start(1_000);
    const put = upgraded('websocket').replace('POST', 'PUT');
    const exchange = (text: string) => Array.from({ length: 8 }, () => exchangeRaw(gateway.server.port, text));
    // Node takes the parser from a connection at CONNECT.
    const open = exchange(`${put}CONNECT a:1 HTTP/1.1\r\nHost: a\r\n\r\n`);
    await sleep(100);
    for (const response of exchange(`${put}${next}`)) expect(statusesIn(await response)).toEqual([200, 200]);
    for (const response of open) expect(statusesIn(await response)).toEqual([200, 405]);
  });

  test.each([
    ['garbage', 'garbage\r\n\r\n'],
    ['a TLS hello', '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03'],
    ['a header without a colon', 'GET /x HTTP/1.1\r\nHost x\r\n\r\n'],
    ['two lengths', 'POST /x HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab'],
    ['an HTTP/2 preface with settings', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0\x04\0\0\0\0\0'],
    ['a header of 70 kB', `GET /x HTTP/1.1\r\nHost: x\r\nX: ${'x'.repeat(70_000)}\r\n\r\n`],
  ])('%s is refused, in the same segment and in the next', async (_what, text) => {
    await start(0);
    const first = upgraded('websocket').replace('POST', 'PUT');
    for (const segments of [[`${first}${text}`], [first, text], [`${first}${text}`, next], [first, text, next]]) {
      const client = new RawClient(gateway.server.port);
      for (const segment of segments) {
        client.send(segment);
        await sleep(50);
      }
      const [good, ...refusals] = statusesIn(await client.untilClosed());
      expect([good, refusals.length]).toEqual([200, 1]);
      expect([400, 431]).toContain(refusals[0]);
    }
  });
});
