import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { createHttpApp } from '@agent-fleet/shared/http/app';
import { type RunningServer, serve } from '@agent-fleet/shared/http/serve';
import { createLogger } from '@agent-fleet/shared/logger';
import { until } from '@agent-fleet/shared/testing/until';
import { afterEach, describe, expect, test } from '@jest/globals';
import { Registry } from 'prom-client';
import { shedLoad } from './load-shedding.ts';

const MAX_PER_TICK = 4;
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
 * Starts a server that starts at most four requests per tick, each of which takes `workMs`. Reports the most requests
 * it has started in one tick, and the most it had read and not started.
 */
async function start(maxWaitMs = 60_000, workMs = 1) {
  let read = 0;
  let mostUnstarted = 0;
  let started = 0;
  const paths: string[] = [];
  let inTick = 0;
  let mostInTick = 0;
  const app = createHttpApp();
  app.use((req, res) => {
    started++;
    paths.push(req.url);
    if (inTick++ === 0) {
      setImmediate(() => {
        mostInTick = Math.max(mostInTick, inTick);
        inTick = 0;
      });
    }
    for (const until = performance.now() + workMs; performance.now() < until; );
    res.end();
  });
  const registry = new Registry();
  const logger = createLogger('test', 'silent');
  const shedding = shedLoad({ logger, registry, maxLength: 10_000, maxWaitMs, maxPerTick: MAX_PER_TICK });
  running = await serve(app, {
    host: '127.0.0.1',
    port: 0,
    lifecycle: { stopping: false },
    // Requests under way when it stops arrive within it, even on a busy machine.
    drainSeconds: 1,
    createScheduler: shedding.createScheduler,
  });
  running.server.prependListener('request', () => {
    read++;
    mostUnstarted = Math.max(mostUnstarted, read - started);
  });
  const reset = () => {
    read -= started;
    started = 0;
    mostInTick = 0;
    mostUnstarted = 0;
  };
  return {
    paths,
    started: () => started,
    refused: async () => Number(/^gateway_shed_total (\d+)$/m.exec(await registry.metrics())?.[1]),
    mostInTick: () => mostInTick,
    mostUnstarted: () => mostUnstarted,
    reset,
  };
}

/** Sends requests one by one on each of many connections until a response closes it; counts requests and responses. */
async function sendOneAfterTheOther(requests: number, reset: () => void) {
  const count = { sent: 0, answered: 0 };
  const clients = await Promise.all(Array.from({ length: REQUESTS }, open));
  reset();
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
  // A response shows that the server has accepted the connection: it reads what all of them send next in one tick.
  socket.write(GET);
  await once(socket, 'data');
  return socket;
}

async function sendAll(text: string, reset: () => void): Promise<void> {
  const clients = await Promise.all(Array.from({ length: REQUESTS }, open));
  reset();
  for (const client of clients) client.write(text);
}

test('a failing connection does not start the waiting requests of others', async () => {
  const { started, mostInTick, reset } = await start();
  const broken = await Promise.all(Array.from({ length: 20 }, open));
  await sendAll(GET, reset);
  for (const [at, socket] of broken.entries()) {
    await until(() => started() > at * 5);
    if (at % 2) socket.write('nonsense\r\n\r\n');
    else socket.write('GET / HTTP/1.1\r\n', () => socket.resetAndDestroy());
  }
  await until(() => started() >= REQUESTS);
  expect(mostInTick()).toBeLessThanOrEqual(MAX_PER_TICK);
});

test('requests with bodies wait too', async () => {
  const { started, mostInTick, reset } = await start();
  await sendAll(POST, reset);
  await until(() => started() === REQUESTS);
  // Four without waiting, and four of the waiting ones.
  expect(mostInTick()).toBeLessThanOrEqual(2 * MAX_PER_TICK);
});

describe('while more requests wait than start in a tick', () => {
  test('reads the next request of a connection when its turn comes', async () => {
    const { mostUnstarted, reset } = await start();
    const count = await sendOneAfterTheOther(5, reset);
    await until(() => count.answered >= REQUESTS);
    // All of the first ones came at once.
    expect(mostUnstarted()).toBeGreaterThan(REQUESTS / 2);
    reset();
    await until(() => count.answered === 5 * REQUESTS);
    expect(mostUnstarted()).toBeLessThanOrEqual(3 * MAX_PER_TICK);
  });

  test('starts the request of a paused connection in the order in which the connection was queued', async () => {
    const { paths, reset } = await start();
    // Opened first, so that these are not paused.
    const others = await Promise.all(Array.from({ length: REQUESTS }, open));
    const count = await sendOneAfterTheOther(1_000, reset);
    await until(() => count.answered > 2 * REQUESTS);
    paths.length = 0;
    for (const other of others) other.write('GET /other HTTP/1.1\r\nHost: a\r\n\r\n');
    await until(() => paths.length >= 2.5 * REQUESTS);
    const othersIn = (part: string[]) => part.filter((path) => path === '/other').length;
    expect(othersIn(paths.slice(0, REQUESTS))).toBeLessThan(REQUESTS / 4);
    expect(othersIn(paths.slice(0, 2.5 * REQUESTS))).toBe(REQUESTS);
  });

  test('does not refuse a request whose connection has waited', async () => {
    // All of them take longer than one may wait; to read them does not.
    const { refused, reset } = await start(1_000, 8);
    const count = await sendOneAfterTheOther(3, reset);
    await until(() => count.answered === 3 * REQUESTS);
    expect(await refused()).toBeLessThan(REQUESTS);
  });

  test('answers unread requests when the server stops', async () => {
    const { reset } = await start();
    const count = await sendOneAfterTheOther(2, reset);
    await until(() => count.answered >= REQUESTS / 2);
    await running.close();
    // The last responses are under way.
    await until(() => sockets.every(({ closed }) => closed));
    expect(count.answered).toBe(count.sent);
  });
});
