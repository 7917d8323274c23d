import { describe, expect, test } from '@jest/globals';
import { API_KEY, INTERNAL_TOKEN } from '../support/gateway.ts';
import type { Received } from '../support/proxy.ts';
import { statusesIn } from '../support/raw-client.ts';
import { expectRefusal, request, shareTarget } from './target.ts';

const target = shareTarget();

const get = (...lines: string[]) => target.send(request('GET /agents HTTP/1.1', ...lines));
const bare = (...lines: string[]) =>
  target.send(['GET /agents HTTP/1.1', ...lines, 'Connection: close', '', ''].join('\r\n'));

/** The only request that the service received. */
function received(): Received {
  expect(target.reached()).toHaveLength(1);
  return target.reached()[0] as Received;
}

test.each([
  ...['X-A : b', 'X-A\t: b', 'X A: b', ': b', 'X-A', 'X-A: b\r\n c', 'X-A: b\r\n\tc', 'X\0A: b', 'X-A: b\0'],
  ...['X-A: b\nX-Fleet-Principal: user:admin', 'X-A: b\rX-Fleet-Principal: user:admin', 'X-A: \x01', 'X-A: \x7f'],
  ...['[X-A]: b', 'X/A: b', 'X-\xe4: b'],
])('refuses with 400 the header line %j', async (line) => {
  expectRefusal(await get(line), 400, target);
});

describe('a Host header', () => {
  test.each([
    ...['', 'fleet.example, evil.example', 'user@fleet.example', 'u@a b/', 'fleet.example/agents', 'fleet.example?a'],
    ...['fleet.example#a', 'fleet.example\\evil', 'http://fleet.example', 'fleet.example:http'],
    ...['fleet.example:65536', 'fleet.example:80:80', '[::1', '[::1]evil', 'fleet%2eexample', '"fleet.example"'],
    ...['<script>', 'fl\xe9et.example'],
  ])('of %j is refused with 400', async (host) => {
    expectRefusal(await bare(`Host: ${host}`, `X-API-Key: ${API_KEY}`), 400, target);
  });

  test.each([
    [[]],
    [['Host: fleet.example', 'Host: fleet.example']],
    [['Host: fleet.example', 'Host: evil.example']],
    [['HOST: fleet.example', 'host: evil.example']],
  ])('is required exactly once: %j is refused with 400', async (lines) => {
    expectRefusal(await bare(...lines, `X-API-Key: ${API_KEY}`), 400, target);
  });

  test.each(['fleet.example', 'fleet.example:8080', '127.0.0.1:1', '[::1]:8080', 'agents_1', 'localhost:65535'])(
    'of %s is accepted and forwarded',
    async (host) => {
      await bare(`Host: ${host}`, `X-API-Key: ${API_KEY}`);
      expect(received().headers['x-forwarded-host']).toBe(host);
    },
  );

  test('is required in HTTP/1.0 as well', async () => {
    const response = await target.send(`GET /agents HTTP/1.0\r\nX-API-Key: ${API_KEY}\r\n\r\n`);
    expect(statusesIn(response)).toEqual([400]);
    expect(target.reached()).toEqual([]);
  });

  test.each(['X-Forwarded-Host', 'X-Host', 'X-HTTP-Host-Override', 'Forwarded'])(
    'cannot be replaced by %s',
    async (name) => {
      await get(`${name}: evil.example`);
      expect(received().headers['x-forwarded-host']).toBe('fleet.example');
    },
  );
});

describe('the identity of a client', () => {
  test.each([
    ...['X-Fleet-Principal', 'x-fleet-principal', 'X-FLEET-PRINCIPAL', 'X_Fleet_Principal', 'x-fleet_principal'],
    ...['x_fleet-principal', 'X-Fleet-Internal-Token', 'x_fleet_internal_token', 'X-Fleet-User', 'X_FLEET_ANYTHING'],
    ...['X-Forwarded-For', 'X_Forwarded_For', 'X-Forwarded-Proto', 'X-Forwarded-Port', 'X-Real-IP', 'x_real_ip'],
    ...['Forwarded', 'Authorization_', 'Proxy-Authorization', 'Proxy-Connection', 'Cookie', 'Set-Cookie'],
    ...['X_FLEET-SCOPES', 'x_fleet_actor_id', 'X-Fleet-Session', 'X_Fleet_Agents', 'X_Forwarded_Prefix', 'X_API_KEY'],
    ...['Keep-Alive', 'TE', 'Trailer', 'Upgrade', 'HTTP2-Settings', 'Proxy-Authenticate', 'X-Forwarded-Host'],
  ])('cannot be forged by %s', async (name) => {
    await get(`${name}: forged`, `${name}: forged`);
    const { headers } = received();
    const { 'x-forwarded-for': from } = headers;
    expect({ principal: headers['x-fleet-principal'], token: headers['x-fleet-internal-token'], from }).toEqual({
      principal: 'key:ci',
      token: INTERNAL_TOKEN,
      from: '127.0.0.1',
    });
    const known =
      name === 'Authorization_' ? [] : Object.values(headers).filter((value) => String(value).includes('forged'));
    expect(known).toEqual([]);
  });

  test.each([
    'x-fleet-principal',
    'X-Fleet-Internal-Token, X-Fleet-Principal',
    'close, x-forwarded-for, host, x-request-id, traceparent',
    'keep-alive, content-length, transfer-encoding',
    'close, content-length, host, x-fleet-internal-token',
  ])('cannot be removed by Connection: %s', async (named) => {
    const own = ['Host: fleet.example', `X-API-Key: ${API_KEY}`, 'Content-Length: 3', 'Connection: close'];
    await target.send(['POST /agents HTTP/1.1', ...own, `Connection: ${named}`, '', 'abc'].join('\r\n'));
    expect(received().body).toBe('abc');
    expect(received().headers).toMatchObject({
      host: expect.any(String),
      'content-length': '3',
      'x-fleet-principal': 'key:ci',
      'x-fleet-internal-token': INTERNAL_TOKEN,
      'x-forwarded-for': '127.0.0.1',
    });
    expect(received().headers.connection).toBe('keep-alive');
  });
});

describe('a response', () => {
  test.each(['a\tb', 'a\xe9', ''])('has a new X-Request-Id instead of %j', async (id) => {
    const response = await get(`X-Request-Id: ${id}`);
    const requestId = /^x-request-id: (.*)\r$/im.exec(response)?.[1];
    expect(requestId).toMatch(/^[0-9a-f-]{36}$/);
    expect(received().headers['x-request-id']).toBe(requestId);
  });

  test.each(['\r\nSet-Cookie: a=b', '\rSet-Cookie: a=b', '\nSet-Cookie: a=b', '%0d%0aSet-Cookie:%20a=b'])(
    'is not split by an X-Request-Id with %j',
    async (rest) => {
      expect(await get(`X-Request-Id: a${rest}`)).not.toMatch(/^set-cookie/im);
    },
  );

  test('has one new X-Request-Id instead of two', async () => {
    const response = await get('X-Request-Id: one', 'X-Request-Id: two');
    expect(response.match(/^x-request-id: /gim)).toHaveLength(1);
    expect(response).not.toMatch(/one|two/);
  });

  test('never echoes an unknown Origin', async () => {
    for (const path of ['/agents', '/api/skills', '/nowhere', '/docs']) {
      const response = await target.send(request(`GET ${path} HTTP/1.1`, 'Origin: https://evil.example'));
      expect(response).not.toContain('evil.example');
    }
  });
});
