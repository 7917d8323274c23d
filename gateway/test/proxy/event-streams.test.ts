import type { ServerResponse } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { until } from '@agent-fleet/shared/testing/until';
import { afterEach, describe, expect, test } from '@jest/globals';
import { closeAll, RawClient, startPair, statusesIn } from './proxy-fixture.ts';

afterEach(closeAll);

const GET = 'GET /events HTTP/1.1\r\nHost: a\r\nAccept: text/event-stream\r\n\r\n';
const HEAD = { 'content-type': 'text/event-stream; charset=utf-8', 'cache-control': 'no-store' };
const CLEAN_END = '0\r\n\r\n';
/** Of responses that are no event streams. Up to a second undici has exact timers. */
const DEADLINE_MS = 1_000;
const LONGER_MS = 2_500;

describe('an event stream', () => {
  test('is forwarded event by event, its head before the first event', async () => {
    let stream: ServerResponse | undefined;
    const { gateway } = await startPair((_req, res) => {
      stream = res.writeHead(200, HEAD);
      stream.flushHeaders();
    });
    const client = new RawClient(gateway.port).send(GET);
    const head = await client.until((text) => text.includes('\r\n\r\n'));
    expect(head).toContain('content-type: text/event-stream; charset=utf-8\r\n');
    expect(head).toContain('cache-control: no-store\r\n');
    for (const event of ['data: 1\n\n', ': comment\n\n', 'data: 2\n\n']) {
      stream?.write(event);
      await client.until((text) => text.includes(event));
    }
  });

  test('may be silent for longer than the deadline of other responses', async () => {
    const { gateway } = await startPair(
      (_req, res) => {
        res.writeHead(200, HEAD).write('data: 1\n\n');
        setTimeout(() => res.end('data: 2\n\n'), LONGER_MS);
      },
      { timeoutMs: DEADLINE_MS },
    );
    const answer = await fetch(`${gateway.origin}/events`, { headers: { accept: 'text/event-stream' } });
    expect(await answer.text()).toBe('data: 1\n\ndata: 2\n\n');
  });

  test('ends at the service when the client disconnects', async () => {
    let ended = false;
    const { gateway } = await startPair((_req, res) => {
      res.writeHead(200, HEAD).write('data: 1\n\n');
      res.on('close', () => {
        ended = true;
      });
    });
    const client = new RawClient(gateway.port).send(GET);
    await client.until((text) => text.includes('data: 1'));
    client.socket.destroy();
    await until(() => ended);
    expect(gateway.proxy.states()).toMatchObject([{ state: 'up', inFlight: 0 }]);
  });
});

describe('a response that is no event stream has a deadline', () => {
  const headers = { accept: 'application/json, text/event-stream' };

  test('within its body: the connection is cut', async () => {
    let ended = false;
    const { gateway } = await startPair(
      (_req, res) => {
        res.writeHead(200, { 'content-type': 'application/json' }).write('[1,');
        res.on('close', () => {
          ended = true;
        });
      },
      { timeoutMs: DEADLINE_MS },
    );
    const answer = await fetch(`${gateway.origin}/events`, { headers });
    await expect(answer.text()).rejects.toThrow();
    await until(() => ended);
  });

  test('before its body: it is 504', async () => {
    const { gateway } = await startPair(
      (_req, res) => res.writeHead(200, { 'content-type': 'application/json', 'content-length': 2 }).flushHeaders(),
      { timeoutMs: 300 },
    );
    expect((await fetch(`${gateway.origin}/events`, { headers })).status).toBe(504);
  });

  test('but not while the client does not read', async () => {
    const length = 48 * 1024 * 1024;
    const { gateway } = await startPair((_req, res) => res.end('x'.repeat(length)), {
      timeoutMs: DEADLINE_MS,
    });
    const answer = await fetch(`${gateway.origin}/events`, { headers });
    await sleep(LONGER_MS);
    expect(await answer.text()).toHaveLength(length);
  });
});

describe('a client that does not read its event stream', () => {
  const CHUNK = `data: ${'x'.repeat(64 * 1024)}\n\n`;
  /** Far more than the kernel's buffers take on the two connections. */
  const MOST_BYTES = 512 * 1024 * 1024;

  /** A service that sends as long as it is taken. */
  async function startFlood(stalledMs: number) {
    const flood = { sent: 0, stream: undefined as ServerResponse | undefined, closed: false, goesOn: true };
    const { gateway } = await startPair(
      (_req, res) => {
        flood.stream = res.writeHead(200, HEAD);
        res.on('close', () => {
          flood.closed = true;
        });
        const pump = () => {
          while (flood.goesOn && flood.sent < MOST_BYTES && !flood.closed) {
            flood.sent += CHUNK.length;
            if (!res.write(CHUNK)) return res.once('drain', pump);
          }
        };
        pump();
      },
      { stalledMs },
    );
    const client = new RawClient(gateway.port);
    client.socket.pause();
    client.send(GET);
    await untilStill(() => flood.sent);
    await until(() => flood.stream?.writableNeedDrain === true || flood.closed);
    return { flood, gateway, client };
  }

  async function untilStill(count: () => number): Promise<void> {
    for (let still = 0, before = 0; still < 10; await sleep(100)) {
      still = count() === before && before > 0 ? still + 1 : 0;
      before = count();
    }
  }

  test('applies backpressure to the service, and the buffered bytes are bounded', async () => {
    const { flood, gateway } = await startFlood(60_000);
    expect(flood.sent).toBeLessThan(MOST_BYTES / 4);
    expect(flood.stream?.writableNeedDrain).toBe(true);
    expect(gateway.proxy.states()).toMatchObject([{ inFlight: 1 }]);
  });

  test.each([
    ['the service waits', () => undefined],
    ['the service has cut it off', (stream: ServerResponse | undefined) => stream?.destroy()],
  ])('is disconnected when %s', async (_who, doIt) => {
    const { flood, gateway, client } = await startFlood(1_500);
    doIt(flood.stream);
    await until(() => flood.closed && gateway.proxy.states()[0]?.inFlight === 0);
    client.socket.resume();
    const text = await client.untilClosed();
    expect(statusesIn(text.slice(0, 100))).toEqual([200]);
    expect(text.endsWith(CLEAN_END)).toBe(false);
  });

  test('stays connected when it reads in time', async () => {
    const { flood, client } = await startFlood(3_000);
    flood.goesOn = false;
    client.socket.resume();
    await until(() => flood.stream?.writableLength === 0);
    await sleep(3_500);
    flood.stream?.end('data: the last\n\n');
    await client.until((text) => text.endsWith(CLEAN_END));
    expect(client.text.slice(-40)).toContain('data: the last');
  });
});
