import { describe, expect, test } from '@jest/globals';
import { statusesIn } from '../support/raw-client.ts';
import { expectRefusal, request, shareTarget } from './target.ts';

const target = shareTarget();

const reached = () => target.reached().map(({ method, url }) => `${method} ${url}`);

test('the service refuses a method that the path does not have; the gateway refuses it on its own paths', async () => {
  for (const method of ['TRACE', 'PURGE', 'QUERY']) {
    const text = request(`${method} /agents HTTP/1.1`, 'Content-Length: 2', '', '{}').trimEnd();
    const response = await target.send(text);
    expect(statusesIn(response)).toEqual([405]);
    expect(response).toMatch(/^allow: GET, POST, HEAD, OPTIONS\r$/im);
  }
  target.forget();
  expectRefusal(await target.send(request('DELETE /health HTTP/1.1')), 405, target);
});

test.each(['X-HTTP-Method-Override', 'X-HTTP-Method', 'X-Method-Override', 'X_HTTP_Method_Override'])(
  '%s does not override the method',
  async (name) => {
    const post = request('POST /agents/7 HTTP/1.1', `${name}: DELETE`, 'Content-Length: 0');
    expect(statusesIn(await target.send(post))).toEqual([405]);
    target.forget();
    await target.send(request('GET /agents/7?_method=DELETE HTTP/1.1', `${name}: DELETE`));
    expect(reached()).toEqual(['GET /agents/7?_method=DELETE']);
    expect(JSON.stringify(target.reached()[0]?.headers)).not.toMatch(/x[-_](?:http[-_])?method/);
  },
);

test('responds to OPTIONS *, and refuses other methods with that target', async () => {
  const response = await target.send('OPTIONS * HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n');
  expect(statusesIn(response)).toEqual([204]);
  expectRefusal(await target.send(request('DELETE * HTTP/1.1')), 400, target);
});

describe('CONNECT', () => {
  test.each(['evil.example:443', '127.0.0.1:6379', '/agents', '*', '[::1]:1'])(
    'to %s is refused with 405',
    async (authority) => {
      expectRefusal(await target.send(request(`CONNECT ${authority} HTTP/1.1`)), 405, target);
    },
  );

  test('closes the connection: later bytes are not read as a request', async () => {
    const hidden = request('GET /agents HTTP/1.1');
    expectRefusal(await target.send(`${request('CONNECT a:443 HTTP/1.1')}${hidden}`), 405, target);
  });
});
