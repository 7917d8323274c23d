import { describe, expect, test } from '@jest/globals';
import { API_KEY } from '../support/gateway.ts';
import { RawClient, statusesIn } from '../support/raw-client.ts';
import { expectRefusal, request, shareTarget } from './target.ts';

const MAX_BODY = 100_000;

const target = shareTarget({ MAX_BODY_BYTES: String(MAX_BODY) });

const CHUNKED = 'Transfer-Encoding: chunked';
const chunk = (length: number) => `${length.toString(16)}\r\n${'a'.repeat(length)}\r\n`;
const bodies = () => target.reached().map(({ body }) => body.length);

describe('a body over MAX_BODY_BYTES', () => {
  test.each([MAX_BODY + 1, 1_073_741_824, '9007199254740993', '18446744073709551615'])(
    'is refused by a Content-Length of %s with 413, before anything of it is sent',
    async (length) => {
      const client = new RawClient(target.port);
      client.send(request('POST /agents HTTP/1.1', `Content-Length: ${length}`));
      expectRefusal(await client.until((text) => text.includes('"}')), 413, target);
    },
  );

  test('is refused with 413 when its chunks exceed the limit, and the service never gets a complete request', async () => {
    const client = new RawClient(target.port);
    client.send(request('POST /agents HTTP/1.1', CHUNKED));
    for (let sent = 0; sent <= MAX_BODY; sent += 10_000) client.send(chunk(10_000));
    expectRefusal(await client.until((text) => text.includes('"}')), 413, target);
    client.send('0\r\n\r\n');
    await client.untilClosed();
    expect(target.reached()).toEqual([]);
  });

  test('is refused in one chunk with 413', async () => {
    const text = `${request('PUT /agents/7 HTTP/1.1', CHUNKED)}${chunk(MAX_BODY + 1)}0\r\n\r\n`;
    expectRefusal(await target.send(text), 413, target);
  });

  test('leaves the connection usable for the next request', async () => {
    const head = `POST /agents HTTP/1.1\r\nHost: a\r\nX-API-Key: ${API_KEY}\r\n${CHUNKED}\r\n\r\n`;
    const response = await target.send(`${head}${chunk(MAX_BODY + 1)}0\r\n\r\n${request('GET /agents/next HTTP/1.1')}`);
    expect(statusesIn(response)).toEqual([413, 200]);
    expect(target.reached().map(({ url }) => url)).toEqual(['/agents/next']);
  });

  test('is checked after the credentials', async () => {
    const anonymous = new RawClient(target.port);
    anonymous.send(`POST /agents HTTP/1.1\r\nHost: a\r\nContent-Length: ${MAX_BODY + 1}\r\n\r\n`);
    expect(statusesIn(await anonymous.until((text) => text.includes('"}')))).toEqual([401]);
  });

  test.each([
    ['PATCH /agents', 413],
    ['POST /agents/7/nothing', 413],
    ['GET /api/nothing', 413],
    ['POST /nothing', 404],
    ['POST /openapi.json', 405],
  ])('is checked on paths of services only, before anything else of them: %s is %i', async (line, status) => {
    const client = new RawClient(target.port);
    client.send(request(`${line} HTTP/1.1`, `Content-Length: ${MAX_BODY + 1}`));
    expectRefusal(await client.until((text) => text.includes('"}')), status, target);
  });
});

test.each([
  ['a length', `Content-Length: ${MAX_BODY}`, 'a'.repeat(MAX_BODY)],
  ['chunks', CHUNKED, `${chunk(MAX_BODY - 1)}${chunk(1)}0\r\n\r\n`],
])('forwards a body of exactly MAX_BODY_BYTES with %s', async (_what, line, body) => {
  expect(statusesIn(await target.send(`${request('POST /agents HTTP/1.1', line)}${body}`))).toEqual([200]);
  expect(bodies()).toEqual([MAX_BODY]);
});

describe('the limits of headers', () => {
  // In addition to the three lines of every request here.
  const lines = (count: number) => Array.from({ length: count - 3 }, (_, at) => `X-${at}: a`);

  test('forwards 200 lines', async () => {
    expect(statusesIn(await target.send(request('GET /agents HTTP/1.1', ...lines(200))))).toEqual([200]);
    expect(target.reached()[0]?.headers).toHaveProperty('x-196', 'a');
  });

  test.each([201, 2_001, 7_000])('refuses %i lines with 431', async (count) => {
    expectRefusal(await target.send(request('GET /agents HTTP/1.1', ...lines(count))), 431, target);
  });

  test('refuses one line repeated 201 times with 431', async () => {
    expectRefusal(await target.send(request('GET /agents HTTP/1.1', ...Array(201).fill('X-A: b'))), 431, target);
  });

  test.each([
    ['one large value', [`X-A: ${'a'.repeat(65_536)}`]],
    ['one large name', [`X-${'a'.repeat(65_536)}: a`]],
    ['many large values', Array(30).fill(`X-A: ${'a'.repeat(3_000)}`)],
  ])('refuses over 64 KiB in %s with 431', async (_what, large) => {
    expectRefusal(await target.send(request('GET /agents HTTP/1.1', ...large)), 431, target);
  });

  test('refuses a target over 64 KiB with 431', async () => {
    expectRefusal(await target.send(request(`GET /agents/${'a'.repeat(70_000)} HTTP/1.1`)), 431, target);
  });
});
