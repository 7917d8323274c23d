import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { request, startTarget, type Target } from './attacks/target.ts';
import { exchangeRaw, RawClient, startUpstream, statusesIn } from './proxy/proxy-fixture.ts';
import { API_KEY, getToken, INTERNAL_TOKEN, startGateway } from './support/gateway.ts';

let target: Target;
beforeAll(async () => {
  target = await startTarget();
});
beforeEach(() => target.forget());
afterAll(() => target.close());

const HIDDEN = `GET /agents/hidden HTTP/1.1\r\nHost: a\r\nX-Fleet-Principal: user:admin\r\nX-API-Key: ${API_KEY}\r\n\r\n`;
const NEXT = request('GET /agents/next HTTP/1.1');
const head = (method: string, ...lines: string[]) =>
  [`${method} /agents/7 HTTP/1.1`, 'Host: a', `X-API-Key: ${API_KEY}`, ...lines, '', ''].join('\r\n');
const seen = () => target.reached().map(({ method, url, body }) => `${method} ${url} ${body}`.trim());

test.each([
  ...['...', '.hidden', 'a.b..c', '..a', '%61', '%20', '%252e%252e', '%E6%8A%80', '%ff', "a;b=c(d)!$&'*+,:@~_-"],
  ...['%', '%2', '%zz', '%u0041', '%%30%30', '__proto__', '?status=%00%2F..', '?x=a/../b//c', '?q=100%'],
  ...['?a=b?c=\\d', '{x}|"<>^`', 'a?'],
])('the target /agents/7%s reaches the service unchanged', async (rest) => {
  expect(statusesIn(await target.send(request(`GET /agents/7${rest} HTTP/1.1`)))).toEqual([200]);
  expect(target.reached().map(({ url }) => url)).toEqual([`/agents/7${rest}`]);
});

test.each(['fleet.example', 'fleet.example:8080', '127.0.0.1:1', '[::1]:8080', 'agents_1', 'localhost:65535'])(
  'the Host %s is accepted and forwarded',
  async (host) => {
    expect(statusesIn(await target.send(NEXT.replace('fleet.example', host)))).toEqual([200]);
    expect(target.reached()[0]?.headers['x-forwarded-host']).toBe(host);
  },
);

describe('a request within a body stays a body', () => {
  test.each(['PUT', 'DELETE', 'GET'])('of a chunked %s', async (method) => {
    const chunked = `${HIDDEN.length.toString(16)};ext="1"\r\n${HIDDEN}\r\n0\r\nX-Fleet-Principal: user:admin\r\n\r\n`;
    const answer = await target.send(`${head(method, 'Transfer-Encoding: Chunked')}${chunked}${NEXT}`);
    expect(statusesIn(answer)).toEqual([200, 200]);
    expect(seen()).toEqual([expect.stringContaining(`${method} /agents/7`), 'GET /agents/next']);
    expect(target.reached()[0]?.headers['x-fleet-principal']).toBe('key:ci');
  });

  test.each(['PUT', 'DELETE', 'GET', 'HEAD'])('of a %s with a length', async (method) => {
    const answer = await target.send(`${head(method, `Content-Length: ${HIDDEN.length}`)}${HIDDEN}${NEXT}`);
    expect(statusesIn(answer)).toEqual([200, 200]);
    expect(seen()).toEqual([expect.stringContaining(`${method} /agents/7`), 'GET /agents/next']);
  });
});

test('a body that is shorter than its length never reaches the service as a whole request', async () => {
  const client = new RawClient(target.port).send(`${head('PUT', 'Content-Length: 40000')}abc`);
  client.socket.end();
  await client.untilClosed();
  expect(seen()).toEqual([]);
});

test('a header that Connection names cannot remove the framing or the internal token', async () => {
  const named = 'Connection: close, content-length, host, x-fleet-internal-token';
  expect(statusesIn(await target.send(`${head('PUT', named, 'Content-Length: 3')}abc`))).toEqual([200]);
  expect(seen()).toEqual(['PUT /agents/7 abc']);
  const { headers } = target.reached()[0] ?? {};
  expect(headers).toMatchObject({ 'content-length': '3', 'x-fleet-internal-token': INTERNAL_TOKEN });
});

test('pipelined requests are answered in order', async () => {
  const answer = await target.send(`${head('GET')}${head('PATCH')}${NEXT}`);
  expect(statusesIn(answer)).toEqual([200, 405, 200]);
  expect(seen().sort()).toEqual(['GET /agents/7', 'GET /agents/next']);
});

test('Expect: 100-continue is answered by the gateway and not forwarded', async () => {
  const client = new RawClient(target.port).send(head('PUT', 'Expect: 100-continue', 'Content-Length: 3'));
  expect(await client.until((text) => text.includes('\r\n\r\n'))).toBe('HTTP/1.1 100 Continue\r\n\r\n');
  client.send('abc');
  expect(statusesIn(await client.until((text) => text.includes('"ok"')))).toEqual([100, 200]);
  expect(seen()).toEqual(['PUT /agents/7 abc']);
  expect(target.reached()[0]?.headers).not.toHaveProperty('expect');
});

test.each(['/protected', '/health', '/ready', '/docs', '/redoc', '/openapi.json', '/docs/swagger-ui.css'])(
  '%s allows GET, HEAD and OPTIONS only',
  async (path) => {
    const headers = path === '/protected' ? { authorization: `Bearer ${await getToken(target.gateway.url)}` } : {};
    const ask = (method: string) => fetch(target.gateway.url + path, { method, headers });
    const [get, head, options] = [await ask('GET'), await ask('HEAD'), await ask('OPTIONS')];
    expect([head.status, await head.text()]).toEqual([200, '']);
    expect(head.headers.get('content-length')).toBe(get.headers.get('content-length'));
    expect([options.status, options.headers.get('allow')]).toEqual([204, 'GET, HEAD, OPTIONS']);
    for (const method of ['POST', 'PUT', 'PATCH', 'DELETE']) {
      const answer = await ask(method);
      expect([answer.status, answer.headers.get('allow')]).toEqual([405, 'GET, HEAD, OPTIONS']);
      expect(await answer.json()).toMatchObject({ error: 'method_not_allowed' });
    }
  },
);

test('TRACE never reaches a service, even while its document is unknown', async () => {
  const { url, received } = await startUpstream((_req, res) => res.writeHead(404).end());
  const gateway = await startGateway({ AGENTS_URL: url, REGISTRY_URL: url });
  const answer = await exchangeRaw(gateway.server.port, request('TRACE /agents/7 HTTP/1.1'));
  expect(statusesIn(answer)).toEqual([405]);
  expect(received.filter(({ method }) => method === 'TRACE')).toEqual([]);
  await gateway.close();
});
