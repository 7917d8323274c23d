import type { ServerResponse } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { until } from '@agent-fleet/shared/testing/until';
import { describe, expect, test } from '@jest/globals';
import type { Principal } from '../../src/auth/schemes/principal.ts';
import { startPair } from '../support/proxy.ts';
import { RawClient, statusesIn } from '../support/raw-client.ts';

const GET = 'GET /events HTTP/1.1\r\nHost: a\r\nAccept: text/event-stream\r\n\r\n';
const HEAD = { 'content-type': 'text/event-stream; charset=utf-8', 'cache-control': 'no-store' };
const JSON_HEAD = { 'content-type': 'application/json' };
const CLEAN_END = '0\r\n\r\n';
/** Deadline of responses that are not event streams. */
const DEADLINE_MS = 3_000;
const LONGER_MS = 5_000;

describe('an event stream', () => {
  test('may be silent for longer than the deadline of other responses', async () => {
    const { gateway } = await startPair(
      (_req, res) => {
        res.writeHead(200, HEAD).write('data: 1\n\n');
        setTimeout(() => res.end('data: 2\n\n'), LONGER_MS);
      },
      { timeoutMs: DEADLINE_MS },
    );
    const response = await fetch(`${gateway.origin}/events`, { headers: { accept: 'text/event-stream' } });
    expect(await response.text()).toBe('data: 1\n\ndata: 2\n\n');
  });

  test('ends as it begins if credentials have changed since that of its client was verified', async () => {
    const beginStream = (res: ServerResponse) => res.writeHead(200, HEAD).write('data: 1\n\n');
    const caller = { tags: ['user:1'], headers: [] as string[] } as unknown as Principal;
    const open = async (changesSeen: number) => {
      const changes = { position: 1 };
      const { gateway } = await startPair((_req, res) => beginStream(res), { changes }, { caller, changesSeen });
      return (await fetch(`${gateway.origin}/events`)).text();
    };
    expect(await open(0)).toBe('');
    expect(await Promise.race([open(1), sleep(500, 'open')])).toBe('open');
  });

  test('ends at the service when the client disconnects', async () => {
    let stream: ServerResponse | undefined;
    const { gateway } = await startPair((_req, res) => {
      stream = res.writeHead(200, HEAD);
      stream.write('data: 1\n\n');
    });
    const client = new RawClient(gateway.port).send(GET);
    await client.until((text) => text.includes('data: 1'));
    client.socket.destroy();
    await until(() => stream?.closed);
    expect(gateway.proxy.states()).toMatchObject([{ state: 'up', inFlight: 0 }]);
  });
});

describe('a response that is not an event stream has a deadline', () => {
  const headers = { accept: 'application/json, text/event-stream' };

  test('within its body, after which the connection is cut', async () => {
    let response: ServerResponse | undefined;
    const { gateway } = await startPair(
      (_req, res) => {
        response = res.writeHead(200, JSON_HEAD);
        response.write('[1,');
      },
      { timeoutMs: DEADLINE_MS },
    );
    const received = await fetch(`${gateway.origin}/events`, { headers });
    await expect(received.text()).rejects.toThrow();
    await until(() => response?.closed);
  });

  test('before its body, after which it is 504', async () => {
    const { gateway } = await startPair(
      (_req, res) => res.writeHead(200, { ...JSON_HEAD, 'content-length': 2 }).flushHeaders(),
      { timeoutMs: 300 },
    );
    expect((await fetch(`${gateway.origin}/events`, { headers })).status).toBe(504);
  });

  test('but not while the client does not read', async () => {
    const length = 48 * 1024 * 1024;
    const { gateway } = await startPair((_req, res) => res.end('x'.repeat(length)), { timeoutMs: DEADLINE_MS });
    const response = await fetch(`${gateway.origin}/events`, { headers });
    await sleep(LONGER_MS);
    expect(await response.text()).toHaveLength(length);
  });
});

describe('a client that does not read its response', () => {
  const CHUNK = `data: ${'x'.repeat(64 * 1024)}\n\n`;
  /** Much more than the kernel's buffers of the two connections. */
  const MOST_BYTES = 512 * 1024 * 1024;

  /** A service that sends as fast as the client reads. */
  async function startFlood(stalledMs: number, head = HEAD, request = GET) {
    const flood = { sent: 0, stream: undefined as ServerResponse | undefined, goesOn: true };
    const { gateway } = await startPair(
      (_req, res) => {
        flood.stream = res.writeHead(200, head);
        const pump = () => {
          while (flood.goesOn && flood.sent < MOST_BYTES && !res.closed) {
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
    client.send(request);
    await untilStill(() => flood.sent);
    await until(() => flood.stream?.writableNeedDrain || flood.stream?.closed);
    return { flood, gateway, client };
  }

  async function untilStill(count: () => number): Promise<void> {
    for (let still = 0, before = 0; still < 10; await sleep(50)) {
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

  test.each<[string, Partial<typeof HEAD>, string, (stream: ServerResponse | undefined) => void]>([
    ['the service waits', HEAD, GET, () => {}],
    ['the service has cut it off', HEAD, GET, (stream) => void stream?.destroy()],
    ['the response is not an event stream', {}, 'GET /registry.json HTTP/1.1\r\nHost: a\r\n\r\n', () => {}],
  ])('is disconnected when %s', async (_when, head, request, doIt) => {
    const { flood, gateway, client } = await startFlood(1_000, head as typeof HEAD, request);
    doIt(flood.stream);
    await until(() => flood.stream?.closed && gateway.proxy.states()[0]?.inFlight === 0);
    client.socket.resume();
    const text = await client.untilClosed();
    expect(statusesIn(text.slice(0, 100))).toEqual([200]);
    expect(text.endsWith(CLEAN_END)).toBe(false);
  });

  test('stays connected when it reads in time', async () => {
    const { flood, client } = await startFlood(6_000);
    flood.goesOn = false;
    client.socket.resume();
    await until(() => flood.stream?.writableLength === 0);
    await sleep(6_500);
    flood.stream?.end('data: the last\n\n');
    await client.until((text) => text.endsWith(CLEAN_END));
    expect(client.text.slice(-40)).toContain('data: the last');
  });
});
