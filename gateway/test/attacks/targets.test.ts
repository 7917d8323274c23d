import { expect, test } from '@jest/globals';
import { statusesIn } from '../support/raw-client.ts';
import { expectRefusal, request, shareTarget } from './target.ts';

const target = shareTarget();

test.each([
  ...['http://fleet.example/agents', 'http://evil.example/agents', 'http://a@fleet.example/agents'],
  ...['file:///etc/passwd', 'fleet.example:80', '*', 'agents', '?a=b', '/agents/..?a', '/agents/..;/tasks'],
  ...['/agents/..;a=b', '/agents/%2e%2e%3b/protected', '/agents/a%0d%0aX-Fleet-Principal:%20admin'],
  ...['/agents#fragment', '/agents?a=b#c'],
])('refuses with 400 the target %j, which servers could read differently', async (path) => {
  expectRefusal(await target.send(request(`GET ${path} HTTP/1.1`)), 400, target);
});

test.each([
  ['path', `/agents/${'a'.repeat(16 * 1024)}`],
  ['query', `/agents?a=${'a'.repeat(16 * 1024)}`],
])('responds 414 to a target over 16 KiB in its %s', async (_part, path) => {
  expectRefusal(await target.send(request(`GET ${path} HTTP/1.1`)), 414, target);
});

test.each([
  ...['//fleet.example/agents', '//agents', '/agents;/x', '/agents%c0%af..', '/agents%ef%bc%8ftasks'],
  ...['/Agents', '/__proto__', '/openapi.json/', '/metrics'],
])('responds 404 to the path %s, which belongs to no service', async (path) => {
  expectRefusal(await target.send(request(`GET ${path} HTTP/1.1`)), 404, target);
});

test.each([
  ...['/agents//tasks', '/agents/%c0%ae%c0%ae/protected', '/agents/%252e%252e/protected', '/agents/x/constructor'],
])('forwards the unknown path %s unchanged to the service whose prefix it has', async (path) => {
  expect(statusesIn(await target.send(request(`GET ${path} HTTP/1.1`)))).toEqual([404]);
  expect(target.reached().map(({ url }) => url)).toEqual([path]);
});

test.each([
  ...['%252e%252e', '%c0%ae', '...;', ';..', '%u002e', '{agent_id}', '~', "'--", '...', '.hidden', 'a.b..c', '..a'],
  ...['%61', '%20', '%E6%8A%80', '%ff', "a;b=c(d)!$&'*+,:@~_-", '7%', '7%2', '%zz', '%%30%30', '__proto__'],
  ...['7?status=%00%2F..', '7?x=a/../b//c', '7?q=100%', '7?a=b?c=\\d', '{x}|"<>^`', '7a?'],
])('forwards the target /agents/%s unchanged', async (rest) => {
  expect(statusesIn(await target.send(request(`GET /agents/${rest} HTTP/1.1`)))).toEqual([200]);
  expect(target.reached().map(({ url }) => url)).toEqual([`/agents/${rest}`]);
});

test.each([
  ...['GET\t/agents HTTP/1.1', 'GET /agents\tHTTP/1.1', 'GET /agents/\tx HTTP/1.1', 'GET /agents /x HTTP/1.1'],
  ...['GET /agents HTTP/1.1 ', ' GET /agents HTTP/1.1', 'GET /agents', 'GET /agents HTTP/2.0'],
  ...['GET /agents HTTP/3.0', 'GET /agents HTTP/1.2', 'GET /agents HTTP/1.10', 'GET /agents http/1.1'],
  ...['GET /agents SIP/2.0', 'get /agents HTTP/1.1', 'GOT /agents HTTP/1.1', 'GET: /agents HTTP/1.1'],
  ...['/agents HTTP/1.1', 'GET HTTP/1.1', 'GET /agents/\0 HTTP/1.1', 'GET /agents/\x7f HTTP/1.1'],
  ...['GET /agents/\xc0\xae HTTP/1.1', 'GET /agents\rX HTTP/1.1', 'GET /agents HTTP/1.1\nX: y'],
  ...['GET /agents HTTP/1.1\r\n X-A: b'],
])('refuses with 400 the request line %j', async (line) => {
  expectRefusal(await target.send(request(line)), 400, target);
});

test.each([
  ['the preface of HTTP/2', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'],
  ['a TLS handshake', '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03\r\n\r\n'],
  ['line feeds without carriage returns', request('GET /agents HTTP/1.1').replaceAll('\r\n', '\n')],
])('refuses with 400 %s', async (_what, text) => {
  expectRefusal(await target.send(text), 400, target);
});

test('accepts more blanks before the target', async () => {
  expect(statusesIn(await target.send(request('GET   /agents HTTP/1.1')))).toEqual([200]);
  expect(target.reached().map(({ url }) => url)).toEqual(['/agents']);
});

test('skips empty lines before a request (RFC 9112 section 2.2)', async () => {
  expect(statusesIn(await target.send(`\r\n\r\n${request('GET /agents HTTP/1.1')}`))).toEqual([200]);
  expect(target.reached().map(({ method, url }) => `${method} ${url}`)).toEqual(['GET /agents']);
});
