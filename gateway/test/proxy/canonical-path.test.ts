import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import type { Request, Response } from 'express';
import { requireCanonicalTarget } from '../../src/routing/canonical-target.ts';
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

function ask(requestLine: string, headers = 'Host: fleet.example\r\nConnection: close\r\n'): Promise<string> {
  return exchangeRaw(gateway.port, `${requestLine}\r\n${headers}\r\n`);
}

/** Milliseconds that it takes to refuse a target: the least of many, which nothing has interrupted. */
function leastTimeOf(originalUrl: string): number {
  const headers = { host: 'a' };
  const req = {
    originalUrl,
    headers,
    rawHeaders: ['Host', 'a'],
    httpVersion: '1.1',
    method: 'GET',
  } as unknown as Request;
  let least = Number.POSITIVE_INFINITY;
  const until = performance.now() + 5_000;
  for (let times = 0; times < 3 || (times < 200 && performance.now() < until); times++) {
    const began = performance.now();
    expect(() => requireCanonicalTarget(req, {} as Response, () => {})).toThrow('not a plain path');
    least = Math.min(least, performance.now() - began);
  }
  return least;
}

const REFUSED_TARGETS = [
  ...['/agents/../users', '/..', '/.', '/agents/.', '/agents/..', '/./agents', '/agents/..?x=1'],
  ...['/agents/%2e%2e/users', '/%2E%2e', '/agents/.%2E/', '/agents/%2e.', '/agents/%2e'],
  ...['/agents/a%2Fb', '/agents/a%2fb', '/agents/a%5Cb', '/agents/a%5cb', '/agents\\users', '/..\\users'],
  ...['/agents/%00', '/agents/a%00b', '/agents/%0d%0aX:1', '/agents/%1f', '/agents/%7F', '/agents/\x7f'],
  ...['/agents/%%2f', '/agents/%2%2F', '/agents/%%00'],
  ...['/agents#part', '/agents/1?x=1#part', '/#'],
  ...['http://fleet.example/agents', 'https://fleet.example/', 'fleet.example:80', '*', 'HTTP://fleet.example//agents'],
];

describe('a target that is not canonical', () => {
  test.each(REFUSED_TARGETS)('%j is 400 and goes no further', async (target) => {
    const answer = await ask(`GET ${target} HTTP/1.1`);
    expect(statusesIn(answer)).toEqual([400]);
    expect(answer).toContain('"error":"validation_error"');
    expect(answer).toMatch(/^x-request-id: \S+\r$/im);
    expect(upstream.received).toEqual([]);
  });
});

describe('a target that is canonical', () => {
  test.each([
    ...[
      '/',
      '/agents',
      '/agents/',
      '/agents/1/tasks/2',
      '/agents/...',
      '/agents/.hidden',
      '/agents/a.b..c',
      '/agents/..a',
    ],
    ...[
      '/agents/%61',
      '/agents/%20',
      '/agents/%252e%252e',
      '/agents/%E6%8A%80',
      '/agents/%ff',
      "/a;b=c/(d)!$&'*+,:@~_-",
    ],
    ...['/agents/%', '/agents/%2', '/agents/%zz', '/agents/%u0041', '/agents/%%30%30'],
    ...['//agents', '/agents//tasks', '//evil.example/agents', '/agents//'],
    ...[
      '/agents?status=%00%2F..',
      '/agents?x=a/../b//c',
      '/agents?q=100%',
      '/agents?a=b?c=\\d',
      '/agents/{x}|"<>^`',
      '/?',
    ],
  ])('%j reaches the service as it is', async (target) => {
    expect(statusesIn(await ask(`GET ${target} HTTP/1.1`))).toEqual([200]);
    expect(upstream.received.map(({ url }) => url)).toEqual([target]);
  });

  test.each([
    ['escapes', (count: number) => `/${'a%41'.repeat(count)}%2F`],
    ['segments', (count: number) => `${'/%41'.repeat(count)}\\`],
  ])('a long path with many %s is judged in linear time', (_what, pathOf) => {
    // Sixteen times as much: of a square it would be 256 times.
    expect(leastTimeOf(pathOf(4_000)) / leastTimeOf(pathOf(250))).toBeLessThan(40);
  });
});

describe('Host', () => {
  test.each([
    ['none', ''],
    ['two', 'Host: fleet.example\r\nHost: fleet.example\r\n'],
    ['two in different case', 'HOST: fleet.example\r\nhost: evil.example\r\n'],
    ['empty', 'Host:\r\n'],
    ['a user', 'Host: user@fleet.example\r\n'],
    ['a user and a blank', 'Host: u@a b/\r\n'],
    ['a path', 'Host: fleet.example/agents\r\n'],
    ['a query', 'Host: fleet.example?x\r\n'],
    ['a list', 'Host: fleet.example, evil.example\r\n'],
    ['a port that is none', 'Host: fleet.example:http\r\n'],
    ['a port out of range', 'Host: fleet.example:65536\r\n'],
    ['an empty port', 'Host: fleet.example:\r\n'],
    ['an open bracket', 'Host: [::1\r\n'],
  ])('%s is 400', async (_name, host) => {
    const answer = await ask('GET /agents HTTP/1.1', `${host}Connection: close\r\n`);
    expect(statusesIn(answer)).toEqual([400]);
    expect(answer).toContain('"error":"validation_error"');
    expect(upstream.received).toEqual([]);
  });

  test.each(['fleet.example', 'fleet.example:8080', '127.0.0.1:1', '[::1]:8080', 'agents_1', 'localhost:65535'])(
    '%s is fine',
    async (host) => {
      expect(statusesIn(await ask('GET /agents HTTP/1.1', `Host: ${host}\r\nConnection: close\r\n`))).toEqual([200]);
      expect(upstream.received[0]?.headers['x-forwarded-host']).toBe(host);
    },
  );
});

describe('methods', () => {
  test('TRACE is 405 with Allow', async () => {
    const answer = await ask('TRACE /agents HTTP/1.1');
    expect(statusesIn(answer)).toEqual([405]);
    expect(answer).toMatch(/^allow: GET, HEAD, /im);
    expect(upstream.received).toEqual([]);
  });

  test('CONNECT is 405', async () => {
    expect(statusesIn(await ask('CONNECT fleet.example:443 HTTP/1.1'))).toEqual([405]);
    expect(upstream.received).toEqual([]);
  });

  test('OPTIONS * is answered here', async () => {
    const answer = await ask('OPTIONS * HTTP/1.1');
    expect(statusesIn(answer)).toEqual([204]);
    expect(answer).toMatch(/^allow: GET, HEAD, /im);
    expect(upstream.received).toEqual([]);
  });

  test('an upgrade is not made: the request is answered as if it had not been asked for', async () => {
    const upgrade =
      'Host: a\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n';
    const client = new RawClient(gateway.port).send(`GET /agents HTTP/1.1\r\n${upgrade}\r\n`);
    expect(statusesIn(await client.until((text) => text.includes('"ok"')))).toEqual([200]);
    expect(upstream.received[0]?.headers).not.toHaveProperty('upgrade');
  });
});
