import { connect } from 'node:net';
import { describe, expect, test } from '@jest/globals';
import type { Api } from '../harness/api.ts';

const DEADLINE_MS = 60_000;

/**
 * docs/contract.md "Requests": what a client library would not send. A load balancer in front has answers of its own
 * to some.
 */
export function specifyRawHttp(api: Api): void {
  async function exchange(lines: string[]): Promise<{ status: number; head: string; body: Record<string, unknown> }> {
    const said = await sendRaw(api.baseUrl, `${lines.join('\r\n')}\r\n\r\n`);
    const [head = '', body = ''] = said.split('\r\n\r\n');
    return { status: Number(head.split(' ')[1]), head, body: JSON.parse(body || '{}') };
  }
  async function expectRefused(lines: string[], status: number, error: string): Promise<void> {
    const answer = await exchange(lines);
    expect([answer.status, answer.body]).toEqual([
      status,
      expect.objectContaining({ error, message: expect.any(String) }),
    ]);
    expect(answer.head).toMatch(/^x-request-id: [\x21-\x7e]+\r?$/im);
    expect(answer.head).toMatch(/^content-type: application\/json/im);
  }
  const GET = 'GET /health HTTP/1.1';
  const CLOSE = 'Connection: close';

  test('a valid request gets a response', async () => {
    expect((await exchange([GET, 'Host: here:8080', CLOSE])).status).toBe(200);
  });

  describe('400 with our error body and a request id:', () => {
    const requests: Record<string, string[]> = {
      'two Host headers': [GET, 'Host: a', 'Host: a', CLOSE],
      'no Host header': [GET, CLOSE],
      'an empty Host header': [GET, 'Host:', CLOSE],
      'a Host with a user': [GET, 'Host: user@a', CLOSE],
      'a Host with a path': [GET, 'Host: a/b', CLOSE],
      'a Host with a bad port': [GET, 'Host: a:99999', CLOSE],
      'two Hosts in one': [GET, 'Host: a, b', CLOSE],
      'a target with a scheme': ['GET http://a/health HTTP/1.1', 'Host: a', CLOSE],
      'a fragment': ['GET /health#x HTTP/1.1', 'Host: a', CLOSE],
      'a control character in the path': ['GET /health\x01 HTTP/1.1', 'Host: a', CLOSE],
      'no HTTP at all': ['hello'],
      'two lengths': ['POST /agents HTTP/1.1', 'Host: a', 'Content-Length: 1', 'Content-Length: 2'],
      'a length beside chunks': ['POST /agents HTTP/1.1', 'Host: a', 'Content-Length: 1', 'Transfer-Encoding: chunked'],
      'a header without a colon': [GET, 'Host: a', 'nonsense'],
      'a folded header': [GET, 'Host: a', 'X-A: b', ' c'],
    };
    test.each(Object.entries(requests))('%s', (_what, lines) => expectRefused(lines, 400, 'validation_error'));
  });

  test('headers of more than 64 KiB are 431', async () => {
    await expectRefused([GET, 'Host: a', `X-A: ${'x'.repeat(70_000)}`, CLOSE], 431, 'headers_too_large');
    expect((await exchange([GET, 'Host: a', `X-A: ${'x'.repeat(60_000)}`, CLOSE])).status).toBe(200);
  });

  test('answers 414 to a target of more than 16 KiB', async () => {
    await expectRefused([`GET /health?${'x'.repeat(16 * 1024)} HTTP/1.1`, 'Host: a', CLOSE], 414, 'uri_too_long');
  });

  test('TRACE and CONNECT are 405', async () => {
    expect((await exchange(['TRACE /health HTTP/1.1', 'Host: a', CLOSE])).status).toBe(405);
    expect((await exchange(['CONNECT a:80 HTTP/1.1', 'Host: a:80'])).status).toBe(405);
  });

  test('a WebSocket upgrade is ignored', async () => {
    const upgrade = ['Upgrade: websocket', 'Sec-WebSocket-Version: 13', 'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ=='];
    const { status } = await exchange(['GET /health HTTP/1.1', 'Host: a', 'Connection: Upgrade, close', ...upgrade]);
    expect(status).not.toBe(101);
  });

  test('a request with incomplete headers is closed after 10 s', async () => {
    const before = performance.now();
    const said = await sendRaw(api.baseUrl, `${GET}\r\nHost: a\r\nX-A: `);
    const seconds = (performance.now() - before) / 1000;
    expect(said).toMatch(/^HTTP\/1\.1 408 /);
    expect(seconds).toBeGreaterThan(9);
    // By default it would be 40 s.
    expect(seconds).toBeLessThan(30);
  });
}

/** What a server sends in response to these bytes until it closes the connection. */
function sendRaw(baseUrl: string, bytes: string): Promise<string> {
  const { hostname: host, port } = new URL(baseUrl);
  return new Promise((resolve, reject) => {
    let received = '';
    const socket = connect({ host, port: Number(port) }, () => socket.write(bytes, 'latin1'));
    socket.setTimeout(DEADLINE_MS, () => socket.destroy(new Error(`The connection stays open after: ${received}`)));
    socket.on('data', (data) => {
      received += data.toString();
    });
    socket.on('close', () => resolve(received));
    socket.on('error', (error) => (received === '' ? reject(error) : resolve(received)));
  });
}
