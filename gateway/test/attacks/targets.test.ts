import { expect, test } from '@jest/globals';
import { statusesIn } from '../support/raw-client.ts';
import { expectRefusal, request, shareTarget } from './target.ts';

const target = shareTarget();

test.each([
  ['absolute form', 'http://fleet.example/agents'],
  ['absolute form of another host', 'http://evil.example/agents'],
  ['absolute form with a user', 'http://a@fleet.example/agents'],
  ['another scheme', 'file:///etc/passwd'],
  ['authority form', 'fleet.example:80'],
  ['asterisk form', '*'],
  ['no slash', 'agents'],
  ['a query only', '?a=b'],
  ['dot segments', '/agents/../protected'],
  ['a dot segment before a query', '/agents/..?a'],
  ['encoded dot segments', '/agents/%2e%2E/protected'],
  ['half encoded dot segments', '/agents/.%2e/protected'],
  ['dots with a semicolon', '/agents/..;/tasks'],
  ['dots with a parameter', '/agents/..;a=b'],
  ['encoded dots and semicolon', '/agents/%2e%2e%3b/protected'],
  ['an encoded slash', '/agents/a%2Ftasks'],
  ['an encoded backslash', '/agents/..%5c..%5cprotected'],
  ['a backslash', '/agents\\..\\protected'],
  ['an encoded NUL', '/agents/a%00.json'],
  ['an encoded line', '/agents/a%0d%0aX-Fleet-Principal:%20admin'],
  ['an encoded DEL', '/agents/%7f'],
  ['a fragment', '/agents#fragment'],
  ['a fragment in a query', '/agents?a=b#c'],
])('refuses with 400 a target that servers could read differently: %s', async (_what, path) => {
  expectRefusal(await target.send(request(`GET ${path} HTTP/1.1`)), 400, target);
});

test.each([
  ['path', `/agents/${'a'.repeat(16 * 1024)}`],
  ['query', `/agents?a=${'a'.repeat(16 * 1024)}`],
])('answers 414 to a target over 16 KiB in its %s', async (_part, path) => {
  expectRefusal(await target.send(request(`GET ${path} HTTP/1.1`)), 414, target);
});

test.each([
  ['two slashes before the host', '//fleet.example/agents'],
  ['two slashes', '//agents'],
  ['a slash more', '/agents/'],
  ['two slashes within', '/agents//tasks'],
  ['a semicolon', '/agents;/x'],
  ['overlong UTF-8', '/agents/%c0%ae%c0%ae/protected'],
  ['an overlong slash', '/agents%c0%af..'],
  ['a fullwidth slash', '/agents%ef%bc%8ftasks'],
  ['dots encoded twice', '/agents/%252e%252e/protected'],
  ['another case', '/Agents'],
  ['an encoded letter', '/%61gents'],
  ['a name of object members', '/__proto__'],
  ['a name of object members below', '/agents/x/constructor'],
  ['what only services have', '/openapi.json/'],
  ['what only the inner network sees', '/metrics'],
])('responds 404 to a path that no document has: %s', async (_what, path) => {
  expectRefusal(await target.send(request(`GET ${path} HTTP/1.1`)), 404, target);
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
  ['a tab before the target', 'GET\t/agents HTTP/1.1'],
  ['a tab behind the target', 'GET /agents\tHTTP/1.1'],
  ['a tab in the target', 'GET /agents/\tx HTTP/1.1'],
  ['a blank in the target', 'GET /agents /x HTTP/1.1'],
  ['a blank at the end', 'GET /agents HTTP/1.1 '],
  ['a blank before', ' GET /agents HTTP/1.1'],
  ['HTTP/0.9', 'GET /agents'],
  ['HTTP/2.0', 'GET /agents HTTP/2.0'],
  ['HTTP/3.0', 'GET /agents HTTP/3.0'],
  ['HTTP/1.2', 'GET /agents HTTP/1.2'],
  ['HTTP/1.10', 'GET /agents HTTP/1.10'],
  ['lower-case HTTP', 'GET /agents http/1.1'],
  ['another protocol', 'GET /agents SIP/2.0'],
  ['a lower-case method', 'get /agents HTTP/1.1'],
  ['an unknown method', 'GOT /agents HTTP/1.1'],
  ['a method with a colon', 'GET: /agents HTTP/1.1'],
  ['no method', '/agents HTTP/1.1'],
  ['no target', 'GET HTTP/1.1'],
  ['NUL in the target', 'GET /agents/\0 HTTP/1.1'],
  ['DEL in the target', 'GET /agents/\x7f HTTP/1.1'],
  ['bytes over 0x7f', 'GET /agents/\xc0\xae HTTP/1.1'],
  ['a bare carriage return', 'GET /agents\rX HTTP/1.1'],
  ['a bare line feed', 'GET /agents HTTP/1.1\nX: y'],
  ['a folded first line', 'GET /agents HTTP/1.1\r\n X-A: b'],
])('refuses with 400 a malformed request line: %s', async (_what, line) => {
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
