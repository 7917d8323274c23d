import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { afterEach, describe, expect, test } from '@jest/globals';
import { until } from '../testing/until.ts';
import { createHttpApp } from './app.ts';
import { type RunningServer, serve } from './serve.ts';

const MAX_PER_TURN = 4;
const REQUESTS = 200;
const GET = 'GET / HTTP/1.1\r\nHost: a\r\n\r\n';
const POST = 'POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\n\r\n{}';

let running: RunningServer;
const sockets: Socket[] = [];
afterEach(async () => {
  for (const socket of sockets.splice(0)) socket.destroy();
  await running.close();
});

/**
 * A server that starts four requests in a turn, each of which takes `workMs`; tells the most that it has started in one, and the most
 * that it had read and not started.
 */
async function start(maxWaitMs = 60_000, workMs = 1) {
  let read = 0;
  let mostUnstarted = 0;
  let refused = 0;
  let started = 0;
  const paths: string[] = [];
  let inTurn = 0;
  let mostInTurn = 0;
  const app = createHttpApp();
  app.use((req, res) => {
    started++;
    paths.push(req.url);
    if (inTurn++ === 0) {
      setImmediate(() => {
        mostInTurn = Math.max(mostInTurn, inTurn);
        inTurn = 0;
      });
    }
    for (const until = performance.now() + workMs; performance.now() < until; );
    res.end();
  });
  running = await serve(app, {
    host: '127.0.0.1',
    port: 0,
    lifecycle: { stopping: false },
    // What is on its way when it stops comes within it, also on a busy machine.
    drainSeconds: 1,
    queue: {
      maxPerTurn: MAX_PER_TURN,
      maxLength: 10_000,
      maxWaitMs,
      goesBefore: () => false,
      refuse(_req, res) {
        refused++;
        res.end();
      },
      onOpen: () => undefined,
    },
  });
  running.server.prependListener('request', () => {
    read++;
    mostUnstarted = Math.max(mostUnstarted, read - started);
  });
  const forget = () => {
    read -= started;
    started = 0;
    refused = 0;
    mostInTurn = 0;
    mostUnstarted = 0;
  };
  return {
    paths,
    started: () => started,
    refused: () => refused,
    mostInTurn: () => mostInTurn,
    mostUnstarted: () => mostUnstarted,
    forget,
  };
}

/** Sends one request after the other on each of many connections, until an answer ends its connection; counts them. */
async function sendOneAfterTheOther(requests: number, forget: () => void) {
  const count = { sent: 0, answered: 0 };
  const clients = await Promise.all(Array.from({ length: REQUESTS }, open));
  forget();
  for (const client of clients) {
    let left = requests;
    const send = () => {
      left--;
      count.sent++;
      client.write(GET);
    };
    client.on('data', (answer) => {
      count.answered++;
      if (left > 0 && !/connection: close/i.test(answer.toString('latin1'))) send();
    });
    send();
  }
  return count;
}

async function open(): Promise<Socket> {
  const socket = connect(running.port, '127.0.0.1').on('error', () => undefined);
  sockets.push(socket.resume());
  // An answer says that the server has taken the connection: what is sent next on all of them, it reads in one turn.
  socket.write(GET);
  await once(socket, 'data');
  return socket;
}

async function sendAll(text: string, forget: () => void): Promise<void> {
  const clients = await Promise.all(Array.from({ length: REQUESTS }, open));
  forget();
  for (const client of clients) client.write(text);
}

test('a connection that fails does not start what others wait for', async () => {
  const { started, mostInTurn, forget } = await start();
  const broken = await Promise.all(Array.from({ length: 20 }, open));
  await sendAll(GET, forget);
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

describe('while more wait than start in a turn', () => {
  test('the next request of a connection is read when its turn comes', async () => {
    const { mostUnstarted, forget } = await start();
    const count = await sendOneAfterTheOther(5, forget);
    await until(() => count.answered >= REQUESTS);
    // All of the first ones came at once.
    expect(mostUnstarted()).toBeGreaterThan(REQUESTS / 2);
    forget();
    await until(() => count.answered === 5 * REQUESTS);
    expect(mostUnstarted()).toBeLessThanOrEqual(3 * MAX_PER_TURN);
  });

  test('it goes before what came later on another, and after what came earlier', async () => {
    const { paths, forget } = await start();
    // Before the others, so that these are not held.
    const others = await Promise.all(Array.from({ length: REQUESTS }, open));
    const count = await sendOneAfterTheOther(1_000, forget);
    await until(() => count.answered > 2 * REQUESTS);
    paths.length = 0;
    for (const other of others) other.write('GET /other HTTP/1.1\r\nHost: a\r\n\r\n');
    await until(() => paths.length >= 2.5 * REQUESTS);
    const othersIn = (part: string[]) => part.filter((path) => path === '/other').length;
    expect(othersIn(paths.slice(0, REQUESTS))).toBeLessThan(REQUESTS / 4);
    expect(othersIn(paths.slice(0, 2.5 * REQUESTS))).toBe(REQUESTS);
  });

  test('it has waited its time then, and is not refused', async () => {
    // All of them take longer than one may wait; to read them does not.
    const { refused, forget } = await start(1_000, 8);
    const count = await sendOneAfterTheOther(3, forget);
    await until(() => count.answered === 3 * REQUESTS);
    expect(refused()).toBeLessThan(REQUESTS);
  });

  test('a server that stops answers what it has not read yet', async () => {
    const { forget } = await start();
    const count = await sendOneAfterTheOther(2, forget);
    await until(() => count.answered >= REQUESTS / 2);
    await running.close();
    // The last answers are on their way.
    await until(() => sockets.every(({ closed }) => closed));
    expect(count.answered).toBe(count.sent);
  });
});
