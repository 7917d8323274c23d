import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { until } from '@agent-fleet/shared/testing/until';
import { describe, expect, test } from '@jest/globals';
import { respondOk, startPair, startProxy, startUpstream } from '../support/proxy.ts';
import { RawClient, statusesIn } from '../support/raw-client.ts';

const GET = 'GET /agents HTTP/1.1\r\nHost: a\r\n\r\n';
const MIB = 1024 * 1024;

describe('a request body', () => {
  test('is streamed: the service receives the first part before the client sends the second', async () => {
    let received = '';
    const { gateway } = await startPair((req, res) => {
      req.on('data', (chunk) => {
        received += chunk;
      });
      req.on('end', () => respondOk(req, res));
    });
    const client = new RawClient(gateway.port);
    client.send('POST /agents HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n');
    await until(() => received === 'abc');
    client.send('3\r\ndef\r\n0\r\n\r\n');
    expect(statusesIn(await client.until((text) => text.includes('"ok"')))).toEqual([200]);
    expect(received).toBe('abcdef');
  });

  test('of 5 MiB arrives complete, with its length', async () => {
    const { received, url } = await startUpstream();
    const { origin } = await startProxy(url);
    const body = Buffer.alloc(5 * MIB, 'abcdefghi');
    expect((await fetch(`${origin}/agents`, { method: 'POST', body })).status).toBe(200);
    expect(received[0]?.headers['content-length']).toBe(String(body.length));
    expect(received[0]?.body).toBe(body.toString('latin1'));
  });
});

describe('backpressure', () => {
  /** Writes up to 200 MiB and counts the bytes that the other side reads. */
  function pump(stream: Pick<NodeJS.WritableStream, 'write'>) {
    const part = Buffer.alloc(MIB);
    const count = { mib: 0 };
    const write = () =>
      stream.write(part, () => {
        count.mib++;
        if (count.mib < 200) write();
      });
    write();
    return count;
  }

  test('of a service that does not read reaches the client', async () => {
    let req: IncomingMessage | undefined;
    const { gateway } = await startPair((received) => {
      req = received.pause();
    });
    const client = new RawClient(gateway.port);
    client.send(`POST /agents HTTP/1.1\r\nHost: a\r\nContent-Length: ${200 * MIB}\r\n\r\n`);
    const accepted = pump(client.socket);
    await until(() => req !== undefined);
    await new Promise((resolve) => setTimeout(resolve, 300));
    expect(accepted.mib).toBeLessThan(40);
  });

  test('of a client that does not read reaches the service', async () => {
    let written = { mib: 0 };
    const { gateway } = await startPair((_req, res) => {
      written = pump(res.writeHead(200, { 'content-length': 200 * MIB }));
    });
    const client = new RawClient(gateway.port);
    client.socket.pause();
    client.send(GET);
    await until(() => written.mib > 0);
    await new Promise((resolve) => setTimeout(resolve, 300));
    expect(written.mib).toBeLessThan(40);
    client.socket.setEncoding('latin1').resume();
    await once(client.socket, 'data');
    await until(() => written.mib === 200);
  });
});

describe('a response body that arrives in one piece', () => {
  const JOINED = 8 * 1024;
  /** All byte values, in a sequence without a short period, so that a misplaced part is detected. */
  const binary = (length: number) => Buffer.from(Array.from({ length }, (_, at) => (at + Math.floor(at / 251)) % 256));

  test.each([0, 255, JOINED - 1, JOINED, JOINED + 1, 4 * JOINED])(
    'of %i bytes arrives byte for byte, and so does the next',
    async (length) => {
      const body = binary(length).toString('latin1');
      const { gateway } = await startPair((_req, res) => {
        res.writeHead(200, { 'content-length': length }).end(body, 'latin1');
      });
      const client = new RawClient(gateway.port).send(GET + GET);
      const text = await client.until((text) => statusesIn(text).length === 2 && text.endsWith(`\r\n\r\n${body}`));
      const [first = '', second = ''] = text.split(/(?=HTTP\/1\.1 )/);
      for (const response of [first, second]) {
        const headLength = response.indexOf('\r\n\r\n') + 4;
        expect(response.slice(0, headLength).toLowerCase()).toContain(`\r\ncontent-length: ${length}\r\n`);
        expect(response.slice(headLength) === body).toBe(true);
      }
    },
  );
});

test('a response before the end of the request body is forwarded once and closes the connection', async () => {
  const { gateway } = await startPair((_req, res) => {
    setTimeout(() => res.writeHead(413, { 'content-length': 3 }).end('big'), 300);
  });
  const client = new RawClient(gateway.port);
  client.send(`POST /agents HTTP/1.1\r\nHost: a\r\nContent-Length: ${32 * MIB}\r\n\r\n`);
  client.send('a'.repeat(16 * MIB));
  await client.until((text) => text.includes('big'));
  client.send('b'.repeat(16 * MIB)).send(GET);
  const text = await client.untilClosed();
  expect(statusesIn(text)).toEqual([413]);
  expect(text).toMatch(/^connection: close\r$/im);
});
