import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { afterEach, expect, test } from '@jest/globals';
import { createHttpApp } from './http-app.ts';
import { type RunningServer, serve } from './serve.ts';

const MAX_PER_TURN = 4;
const REQUESTS = 200;
const POST = 'POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\n\r\n{}';

let running: RunningServer;
const sockets: Socket[] = [];
afterEach(async () => {
  for (const socket of sockets.splice(0)) socket.destroy();
  await running.close();
});

/** A server that starts four requests in a turn, each of which takes a millisecond; tells the most that it has started in one. */
async function start() {
  let started = 0;
  let inTurn = 0;
  let mostInTurn = 0;
  const app = createHttpApp();
  app.use((_req, res) => {
    started++;
    if (inTurn++ === 0) {
      setImmediate(() => {
        mostInTurn = Math.max(mostInTurn, inTurn);
        inTurn = 0;
      });
    }
    for (const until = performance.now() + 1; performance.now() < until; );
    res.end();
  });
  running = await serve(app, {
    host: '127.0.0.1',
    port: 0,
    lifecycle: { stopping: false },
    drainSeconds: 0,
    queue: {
      maxPerTurn: MAX_PER_TURN,
      maxLength: 10_000,
      maxWaitMs: 60_000,
      goesBefore: () => false,
      refuse: (_req, res) => res.end(),
      onOpen: () => undefined,
    },
  });
  const forget = () => {
    started = 0;
    mostInTurn = 0;
  };
  return { started: () => started, mostInTurn: () => mostInTurn, forget };
}

async function open(): Promise<Socket> {
  const socket = connect(running.port, '127.0.0.1').on('error', () => undefined);
  sockets.push(socket.resume());
  // An answer says that the server has taken the connection: what is sent next on all of them, it reads in one turn.
  socket.write('GET / HTTP/1.1\r\nHost: a\r\n\r\n');
  await once(socket, 'data');
  return socket;
}

async function sendAll(text: string, forget: () => void): Promise<void> {
  const clients = await Promise.all(Array.from({ length: REQUESTS }, open));
  forget();
  for (const client of clients) client.write(text);
}

async function until(isSo: () => boolean): Promise<void> {
  const deadline = Date.now() + 15_000;
  while (!isSo()) {
    if (Date.now() > deadline) throw new Error('It did not become so');
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}

test('a connection that fails does not start what others wait for', async () => {
  const { started, mostInTurn, forget } = await start();
  const broken = await Promise.all(Array.from({ length: 20 }, open));
  await sendAll('GET / HTTP/1.1\r\nHost: a\r\n\r\n', forget);
  for (const [at, socket] of broken.entries()) {
    await until(() => started() > at * 5);
    if (at % 2) socket.write('nonsense\r\n\r\n');
    else socket.write('GET / HTTP/1.1\r\n', () => socket.resetAndDestroy());
  }
  await until(() => started() >= REQUESTS);
  expect(mostInTurn()).toBeLessThanOrEqual(MAX_PER_TURN);
});

test('requests with bodies wait as well', async () => {
  const { started, mostInTurn, forget } = await start();
  await sendAll(POST, forget);
  await until(() => started() === REQUESTS);
  // As many without waiting, and as many of those that wait.
  expect(mostInTurn()).toBeLessThanOrEqual(2 * MAX_PER_TURN);
});
