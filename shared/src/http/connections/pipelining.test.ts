import { connect } from 'node:net';
import { afterEach, expect, test } from '@jest/globals';
import type { Request, Response } from 'express';
import { listen } from '../../testing/listen.ts';
import { until } from '../../testing/until.ts';
import { createHttpApp } from '../app.ts';
import type { RunningServer } from '../serve.ts';

let running: RunningServer;
afterEach(() => running.close());

/** A server that records the paths of its requests. */
async function start(): Promise<Response[]> {
  const open: Response[] = [];
  const app = createHttpApp();
  app.use((_req: Request, res: Response) => void open.push(res));
  running = await listen(app);
  return open;
}

const GET = 'GET / HTTP/1.1\r\nHost: a\r\n\r\n';

test('disconnects a client that pipelines thousands of requests and reads nothing', async () => {
  const open = await start();
  const client = connect(running.port, '127.0.0.1').pause();
  client.on('error', () => undefined);
  client.write(GET.repeat(10_000));
  await until(() => open.length > 0 && open.every((res) => res.closed || res.destroyed));
  expect(open.length).toBeLessThanOrEqual(101);
  client.destroy();
});

test('a hundred pipelined requests are answered in sequence', async () => {
  const open = await start();
  const client = connect(running.port, '127.0.0.1').setEncoding('latin1');
  let text = '';
  client.on('data', (data) => {
    text += data;
  });
  client.write(GET.repeat(100));
  for (let at = 0; at < 100; at++) {
    await until(() => open.length > at);
    // Its response would have to be kept.
    expect(open.length).toBe(at + 1);
    open[at]?.setHeader('x-at', at).end();
  }
  const numbers = () => [...text.matchAll(/x-at: (\d+)/g)].map(([, at]) => Number(at));
  await until(() => numbers().length === 100);
  expect(numbers()).toEqual(numbers().toSorted((a, b) => a - b));
  client.destroy();
});

test('a pipelined request is not started after its client has disconnected', async () => {
  const open = await start();
  const client = connect(running.port, '127.0.0.1');
  client.write(GET.repeat(5));
  await until(() => open.length === 1);
  client.destroy();
  await until(() => open.every((res) => res.destroyed));
  await new Promise((resolve) => setTimeout(resolve, 50));
  expect(open.length).toBe(1);
});
