import type { IncomingMessage } from 'node:http';
import { describe, expect, test } from '@jest/globals';
import { API_KEY } from '../support/gateway.ts';
import { respondOk, startProxy, startRawUpstreamServer } from '../support/proxy.ts';
import { RawClient, statusesIn } from '../support/raw-client.ts';
import { shareTarget } from './target.ts';

const CHUNKED = 'Transfer-Encoding: chunked';
const LAST = '0\r\n\r\n';
const chunk = (text: string) => `${text.length.toString(16)}\r\n${text}\r\n`;
const times = (count: number, toText: (at: number) => string) => Array.from({ length: count }, (_, at) => toText(at));

describe('chunks are joined and arrive byte for byte', () => {
  test.each([
    ['single bytes', times(4_000, (at) => String(at % 10))],
    ['tokens of 4 bytes', times(20_000, (at) => String(at).padStart(4).slice(-4))],
    ['lines of 20 bytes', times(20_000, (at) => String(at).padStart(20, '.'))],
    ['of all lengths', times(300, (at) => String.fromCharCode(97 + (at % 26)).repeat((at * 739) % 40_000 || 1))],
  ])('%s', async (_what, texts) => {
    const parts: string[] = [];
    const upstream = await startRawUpstreamServer((req: IncomingMessage, res) => {
      req.setEncoding('latin1').on('data', (part: string) => parts.push(part));
      req.on('end', () => respondOk(req, res));
    });
    const { port } = await startProxy(upstream.url);
    const client = new RawClient(port).send(`POST /agents HTTP/1.1\r\nHost: a\r\n${CHUNKED}\r\n\r\n`);
    client.send(`${texts.map(chunk).join('')}${LAST}`);
    expect(statusesIn(await client.until((text) => text.includes('"ok"')))).toEqual([200]);
    expect(parts.join('') === texts.join('')).toBe(true);
    expect(parts.length).toBeLessThan(texts.length / 2);
  });
});

describe('with the whole gateway', () => {
  const target = shareTarget({ RATE_LIMIT_PER_MINUTE: '0' });

  test.each([
    ['GET /health', false, [200, 400]],
    ['GET /agents', false, [400, 401]],
    ['GET /agents', true, [200, 400]],
    ['POST /agents', true, [400]],
    ['POST /token', false, [400, 415]],
  ])('a million chunks of one byte end the connection: %s, with a key: %p', async (line, hasKey, statuses) => {
    const head = [`${line} HTTP/1.1`, 'Host: a', ...(hasKey ? [`X-API-Key: ${API_KEY}`] : []), CHUNKED, '', ''];
    const response = await target.send(`${head.join('\r\n')}${chunk('a').repeat(1_000_000)}${LAST}`);
    // Of 6 MB, which would take seconds to parse.
    expect(target.bytesRead()).toBeLessThan(512 * 1024);
    const [status, ...others] = statusesIn(response);
    expect(statuses).toContain(status);
    expect(others).toEqual([]);
    expect(response).toMatch(/^connection: close\r$/im);
    if (status === 400) expect(response).toContain('The body has too many small chunks');
    expect(target.reached().filter(({ body }) => body !== '')).toEqual([]);
  });

  test('pipelined bodies of single bytes end the connection', async () => {
    const text = `GET /agents HTTP/1.1\r\nHost: a\r\n${CHUNKED}\r\n\r\n${chunk('a').repeat(2_000)}${LAST}`;
    const answers = statusesIn(await target.send(text.repeat(50)));
    expect(answers.length).toBeLessThan(50);
    expect([...new Set(answers)]).toEqual([401, 400]);
  });
});
