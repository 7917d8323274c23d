import { describe, expect, test } from '@jest/globals';
import { API_KEY } from '../support/gateway.ts';
import { RawClient, statusesIn } from '../support/raw-client.ts';
import { request, shareTarget } from './target.ts';

const target = shareTarget({ RATE_LIMIT_PER_MINUTE: '0', MAX_BODY_BYTES: '100000' });
const limited = shareTarget({ RATE_LIMIT_PER_MINUTE: '1' });

const KEY = `X-API-Key: ${API_KEY}`;
const ENDLESS = 'Content-Length: 100000000000';
const head = (line: string, ...lines: string[]) => [`${line} HTTP/1.1`, 'Host: a', ...lines, '', ''].join('\r\n');

/** Sends a head, and then its body until the gateway closes the connection, for 20 s at most; returns the response. */
async function flood(text: string, { port } = target, options = {}) {
  const client = new RawClient(port, options).send(text);
  const began = performance.now();
  const block = Buffer.alloc(64 * 1024, 'a');
  while (!client.closed && performance.now() - began < 20_000) {
    if (!client.socket.write(block)) {
      await new Promise<void>((resolve) => {
        client.socket.once('drain', resolve).once('close', () => resolve());
        setTimeout(resolve, 1_000);
      });
    }
    await new Promise((resolve) => setImmediate(resolve));
  }
  expect(client.closed).toBe(true);
  return client.text;
}

describe('a response before the whole body closes the connection', () => {
  test.each([
    ['401', head('POST /agents', ENDLESS), 401],
    ['401 to chunks', `${head('POST /agents', 'Transfer-Encoding: chunked')}fffffffff\r\n`, 401],
    ['404', head('POST /nothing', ENDLESS), 404],
    ['413', head('POST /agents', KEY, 'Content-Length: 100000000001'), 413],
    ['413 to a sign-in', head('POST /token', 'Content-Type: application/x-www-form-urlencoded', ENDLESS), 413],
    [
      '413 to a sign-in in chunks',
      `${head('POST /token', 'Content-Type: application/x-www-form-urlencoded', 'Transfer-Encoding: chunked')}fffffffff\r\n`,
      413,
    ],
    ['413 to chunks', `${head('POST /agents', KEY, 'Transfer-Encoding: chunked')}fffffffff\r\n`, 413],
    ['404 to chunks', `${head('POST /nothing', KEY, 'Transfer-Encoding: chunked')}fffffffff\r\n`, 404],
    ['414', head(`POST /agents/${'a'.repeat(20_000)}`, KEY, ENDLESS), 414],
    ['400 to a target', head('POST /agents/..', KEY, ENDLESS), 400],
    ['405 to a health check', head('POST /health', ENDLESS), 405],
  ])('%s', async (_what, text, status) => {
    const response = await flood(text);
    expect(statusesIn(response)).toEqual([status]);
    expect(response).toMatch(/^connection: close\r$/im);
    expect(target.bytesRead()).toBeLessThan(1024 * 1024);
    expect(target.reached()).toEqual([]);
  });
});

test('little is read from a client that goes on sending after the response', async () => {
  const response = await flood(head('POST /agents', ENDLESS), target, { allowHalfOpen: true });
  expect(statusesIn(response)).toEqual([401]);
  // Before and after the response.
  expect(target.bytesRead()).toBeLessThan(512 * 1024);
});

test('a 429 before the whole body closes the connection as well', async () => {
  expect(statusesIn(await limited.send(request('GET /agents HTTP/1.1')))).toEqual([200]);
  expect(statusesIn(await flood(head('POST /agents', KEY, ENDLESS), limited))).toEqual([429]);
});

test('the connection of a client that sends nothing more is closed as well, after one response', async () => {
  const client = new RawClient(target.port).send(head('POST /agents', ENDLESS));
  expect(statusesIn(await client.untilClosed())).toEqual([401]);
});

test('requests behind an unread body are not served', async () => {
  const client = new RawClient(target.port).send(head('POST /agents', 'Content-Length: 100000'));
  await client.until((text) => text.includes('detail'));
  client.send(`${'a'.repeat(100_000)}${head('GET /agents/hidden', KEY)}`);
  expect(statusesIn(await client.untilClosed())).toEqual([401]);
  expect(target.reached()).toEqual([]);
});

test.each([
  ['401', head('POST /agents', 'Content-Length: 3'), 401],
  ['404', head('POST /nothing', KEY, 'Content-Length: 3'), 404],
  ['405', head('PATCH /agents', KEY, 'Content-Length: 3'), 405],
  ['200', head('POST /agents', KEY, 'Content-Length: 3'), 200],
])('a %s to a body that has arrived whole keeps the connection open', async (_what, text, status) => {
  const client = new RawClient(target.port).send(`${text}abc`);
  await client.until((response) => statusesIn(response).length === 1);
  client.send(head('GET /agents/next', KEY, 'Connection: close'));
  expect(statusesIn(await client.untilClosed())).toEqual([status, 200]);
});
