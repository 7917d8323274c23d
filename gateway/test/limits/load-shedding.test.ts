import { BlockList } from 'node:net';
import { own } from '@agent-fleet/scripts/testing/own';
import { createHttpApp, finishApp } from '@agent-fleet/shared/http/app';
import type { Lifecycle } from '@agent-fleet/shared/http/health';
import { serve } from '@agent-fleet/shared/http/serve';
import { until } from '@agent-fleet/shared/testing/until';
import { describe, expect, test } from '@jest/globals';
import { Registry } from 'prom-client';
import { logAccess, logShedRequest } from '../../src/observability/access-log.ts';
import { createGatewayLog } from '../../src/observability/log-destination.ts';
import { shedLoad } from '../../src/overload/load-shedding.ts';
import { answersAfterFin } from '../../src/serve-gateway.ts';
import { RawClient, statusesIn } from '../support/raw-client.ts';

const MAX_PER_TICK = 4;
const CLIENTS = 100;
const GET = toRequest('/');

function toRequest(path: string): string {
  return `GET ${path} HTTP/1.1\r\nHost: a\r\n\r\n`;
}

/**
 * A server that starts at most four requests per tick, each of which blocks the event loop for `workMs`. It records the
 * paths of requests in the order of their arrival and of their start, the maximum number of requests started in one
 * tick, and the maximum number of requests that were read and not started.
 */
async function startBusyServer({ workMs = 1, maxWaitMs = 60_000, drainSeconds = 0 } = {}) {
  const logs: Record<string, unknown>[] = [];
  const started: string[] = [];
  const received: string[] = [];
  const lifecycle: Lifecycle = { stopping: false };
  const most = { inTick: 0, unstarted: 0 };
  let unstarted = 0;
  let inTick = 0;
  const log = createGatewayLog('info', { write: (line) => logs.push(JSON.parse(line)) });
  const { logger } = log;
  const registry = new Registry();
  const onShed = logShedRequest(logAccess(log), new BlockList());
  const shedding = shedLoad({
    logger,
    registry,
    maxWaitMs,
    maxPerTick: MAX_PER_TICK,
    originHeaders: () => ['access-control-allow-origin', '*'],
    onShed,
  });
  const app = createHttpApp();
  app.use((req, res) => {
    unstarted--;
    started.push(req.url);
    if (inTick++ === 0) {
      setImmediate(() => {
        most.inTick = Math.max(most.inTick, inTick);
        inTick = 0;
      });
    }
    if (req.url !== '/connect') block(workMs);
    res.json({});
  });
  const { port, server, close } = await serve(finishApp(app, logger), {
    host: '127.0.0.1',
    port: 0,
    lifecycle,
    drainSeconds,
    answersAfterFin,
    createScheduler: shedding.createScheduler,
  });
  server.prependListener('request', ({ url }) => {
    received.push(url ?? '');
    unstarted++;
    most.unstarted = Math.max(most.unstarted, unstarted);
    if (url === '/pause') block(3 * maxWaitMs);
  });
  own(() => {
    shedding.close();
    server.closeAllConnections();
    server.close();
  });
  const reset = () => {
    started.length = 0;
    Object.assign(most, { inTick: 0, unstarted: 0 });
  };

  /**
   * Opens connections and waits until the server has accepted them, so that it reads the next requests of all in one
   * tick.
   */
  async function connect(count: number): Promise<RawClient[]> {
    const clients = Array.from({ length: count }, () => new RawClient(port).send(toRequest('/connect')));
    await until(() => statuses(clients).length === count);
    for (const client of clients) client.text = '';
    reset();
    return clients;
  }

  /** Sends requests one by one on each of many connections until a response closes it. */
  async function sendOneAfterTheOther(requests: number) {
    const count = { sent: 0, answered: 0 };
    const clients = await connect(CLIENTS);
    for (const client of clients) {
      let left = requests;
      const send = () => {
        left--;
        count.sent++;
        client.send(GET);
      };
      client.socket.on('data', (response) => {
        count.answered++;
        if (left > 0 && !/connection: close/i.test(String(response))) send();
      });
      send();
    }
    return { count, clients };
  }
  const refused = async () => Number(/^gateway_shed_total (\d+)$/m.exec(await registry.metrics())?.[1]);
  return { logs, lifecycle, received, started, most, reset, refused, connect, sendOneAfterTheOther, close };
}

function block(ms: number): void {
  for (const end = performance.now() + ms; performance.now() < end; );
}

function statuses(clients: RawClient[]): number[] {
  return clients.flatMap(({ text }) => statusesIn(text));
}

test('refuses none of the few requests that waited because the process stood still', async () => {
  const { refused, connect } = await startBusyServer({ maxWaitMs: 50 });
  const [first, ...others] = (await connect(MAX_PER_TICK)) as [RawClient, ...RawClient[]];
  // All are read in one tick; the process stands still after the first.
  first.send(GET);
  for (const other of others) other.send(toRequest('/pause'));
  await until(() => statuses([first, ...others]).length === MAX_PER_TICK);
  expect(await refused()).toBe(0);
});

test('refuses requests at once while others have waited too long, but never probes', async () => {
  const [workMs, maxWaitMs] = [10, 600];
  const { logs, started, refused, connect } = await startBusyServer({ workMs, maxWaitMs });
  // Together these take three times as long as the maximum wait.
  const [early, late, probes] = [await connect((3 * maxWaitMs) / workMs), await connect(20), await connect(4)];
  for (const client of early) client.send(toRequest('/early'));
  // By then, the first of the other requests has waited for longer than the maximum.
  await until(() => started.length > (2 * maxWaitMs) / workMs);
  const unread = late.at(-1);
  for (const client of late.slice(0, -1)) client.send(toRequest('/late'));
  unread?.send('POST /late HTTP/1.1\r\nHost: a\r\nContent-Length: 100000000000\r\n\r\n');
  for (const client of probes) client.send(toRequest('/ready?x'));
  await until(() => statuses(late).length === late.length);
  expect(new Set(statuses(late))).toEqual(new Set([503]));
  expect(late[0]?.text).toContain('\r\nretry-after: 1\r\n');
  expect(late[0]?.text).toMatch(/\r\nx-request-id: [0-9a-f-]{36}\r\n/);
  expect(late[0]?.text).toContain('{"error":"overloaded",');
  expect(await unread?.untilClosed()).toMatch(/^connection: close\r$/im);
  await until(() => statuses([...early, ...probes]).length === early.length + probes.length);
  expect(new Set(statuses([...early, ...probes]))).toEqual(new Set([200]));
  // The probes did not wait for the requests before them.
  expect(started.lastIndexOf('/ready?x')).toBeLessThan(started.lastIndexOf('/early'));
  expect(started).not.toContain('/late');
  expect(await refused()).toBe(late.length);
  await until(() => logs.some(({ msg }) => msg === 'shedding load'));
  expect(logs.find(({ msg }) => msg === 'shedding load')).toMatchObject({ requests: late.length });
  const refusals = logs.filter(({ rejected_by }) => rejected_by === 'overload');
  expect(refusals).toHaveLength(late.length);
  expect(refusals[0]).toMatchObject({ path: '/late', client: '127.0.0.1', status: 503, error: 'overloaded' });
  expect(late[0]?.text).toContain(`\r\nx-request-id: ${refusals[0]?.request_id}\r\n`);
});

test('refuses requests whose clients have ended, or send no valid body, as any others', async () => {
  const [workMs, maxWaitMs] = [10, 600];
  const { logs, lifecycle, started, refused, connect } = await startBusyServer({ workMs, maxWaitMs });
  const [early, [ended, malformed]] = [await connect((3 * maxWaitMs) / workMs), await connect(2)];
  for (const client of early) client.send(toRequest('/early'));
  await until(() => started.length > (2 * maxWaitMs) / workMs);
  lifecycle.stopping = true;
  // As large as a read of the server: the FIN is read before the body has been looked at.
  const head = `POST /ended HTTP/1.1\r\nHost: a\r\nX-API-Key: k\r\nContent-Length: ${65_000}\r\nPadding: `;
  ended?.socket.end(`${head.padEnd(65_536 - 65_000 - 4, 'p')}\r\n\r\n${'b'.repeat(65_000)}`);
  malformed?.send('POST /malformed HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n');
  const response = (await ended?.untilClosed()) ?? '';
  expect(statusesIn(response)).toEqual([503]);
  expect(response).toMatch(/^connection: close\r$/im);
  expect(response).toMatch(/^access-control-allow-origin: \*\r$/im);
  expect(response).toMatch(/^cache-control: private, no-cache\r$/im);
  expect(statusesIn((await malformed?.untilClosed()) ?? '')).toEqual([400]);
  expect(await refused()).toBe(1);
  expect(logs.filter(({ rejected_by }) => rejected_by === 'overload')).toHaveLength(1);
});

describe('queued requests', () => {
  test('start in the order of their arrival, on one connection too', async () => {
    const { started, connect } = await startBusyServer({ workMs: 5 });
    const [others, [client]] = [await connect(70), (await connect(1)) as [RawClient]];
    for (const other of others) other.send(toRequest('/other'));
    await until(() => started.length > 0);
    client.send(`${toRequest('/1')}POST /2 HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\n\r\n{}${toRequest('/3')}`);
    await until(() => statuses([client]).length === 3);
    expect(started.filter((url) => url !== '/other')).toEqual(['/1', '/2', '/3']);
  });

  test('with bodies wait too', async () => {
    const { started, most, connect } = await startBusyServer();
    const clients = await connect(CLIENTS);
    for (const client of clients) client.send('POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\n\r\n{}');
    await until(() => started.length === CLIENTS);
    // Four start at once, and four leave the queue.
    expect(most.inTick).toBeLessThanOrEqual(2 * MAX_PER_TICK);
  });

  test('are dropped when their clients reset the connection', async () => {
    const { received, started, connect } = await startBusyServer({ workMs: 5 });
    const [others, [disconnected]] = [await connect(150), await connect(1)];
    for (const other of others) other.send(toRequest('/other'));
    disconnected?.send('POST /disconnected HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\n\r\n{}');
    await until(() => received.includes('/disconnected'), { pollMs: 1 });
    disconnected?.socket.resetAndDestroy();
    await until(() => statuses(others).length === others.length);
    expect(started).not.toContain('/disconnected');
  });

  test('wait for their turn when their clients have ended', async () => {
    const { received, started, connect } = await startBusyServer({ workMs: 5 });
    const [others, [ended]] = [await connect(150), await connect(1)];
    for (const other of others) other.send(toRequest('/other'));
    await until(() => received.filter((path) => path === '/other').length === others.length, { pollMs: 1 });
    ended?.socket.end(toRequest('/ended'));
    expect(statusesIn((await ended?.untilClosed()) ?? '')).toEqual([200]);
    expect(started.indexOf('/ended')).toBe(others.length);
  });

  test('are answered before a malformed request behind them', async () => {
    const { connect } = await startBusyServer({ workMs: 5 });
    const [others, [broken]] = [await connect(70), (await connect(1)) as [RawClient]];
    for (const other of others) other.send(toRequest('/other'));
    broken.send(`${toRequest('/whole')}nonsense\r\n\r\n`);
    expect(statusesIn(await broken.untilClosed())[0]).toBe(200);
  });

  test('are not started by a failing connection of another client', async () => {
    const { started, most, connect } = await startBusyServer();
    const [broken, clients] = [await connect(20), await connect(CLIENTS)];
    for (const client of clients) client.send(GET);
    for (const [at, { socket }] of broken.entries()) {
      await until(() => started.length > at * 3, { pollMs: 1 });
      if (at % 2) socket.write('nonsense\r\n\r\n');
      else socket.write('GET / HTTP/1.1\r\n', () => socket.resetAndDestroy());
    }
    await until(() => started.length >= CLIENTS);
    expect(most.inTick).toBeLessThanOrEqual(MAX_PER_TICK);
  });
});

describe('while more requests wait than start in a tick', () => {
  test('reads the next request of a connection when its turn comes', async () => {
    const { most, reset, sendOneAfterTheOther } = await startBusyServer();
    const { count } = await sendOneAfterTheOther(5);
    await until(() => count.answered >= CLIENTS);
    // The first requests arrived in one tick.
    expect(most.unstarted).toBeGreaterThan(CLIENTS / 2);
    reset();
    await until(() => count.answered === 5 * CLIENTS);
    expect(most.unstarted).toBeLessThanOrEqual(3 * MAX_PER_TICK);
  });

  test('starts the request of a paused connection in the order in which the connection was queued', async () => {
    const { started, connect, sendOneAfterTheOther } = await startBusyServer();
    // Opened first, so that these connections are not paused.
    const others = await connect(CLIENTS);
    const { count } = await sendOneAfterTheOther(1_000);
    await until(() => count.answered > 2 * CLIENTS);
    started.length = 0;
    for (const other of others) other.send(toRequest('/other'));
    await until(() => started.length >= 2.5 * CLIENTS);
    const othersIn = (part: string[]) => part.filter((path) => path === '/other').length;
    expect(othersIn(started.slice(0, CLIENTS))).toBeLessThan(CLIENTS / 4);
    expect(othersIn(started.slice(0, 2.5 * CLIENTS))).toBe(CLIENTS);
  });

  test('does not refuse a request whose connection has waited', async () => {
    // Together they take longer than the maximum wait; reading them does not.
    const { refused, sendOneAfterTheOther } = await startBusyServer({ workMs: 6, maxWaitMs: 400 });
    const { count } = await sendOneAfterTheOther(3);
    await until(() => count.answered === 3 * CLIENTS);
    expect(await refused()).toBeLessThan(CLIENTS);
  });

  test('responds to unread requests when the server stops', async () => {
    // Requests in flight when the server stops arrive within the drain, even on a busy machine.
    const { sendOneAfterTheOther, close } = await startBusyServer({ drainSeconds: 5 });
    const { count, clients } = await sendOneAfterTheOther(2);
    await until(() => count.answered >= CLIENTS / 2);
    await close();
    // The last responses are in flight.
    await until(() => clients.every(({ closed }) => closed));
    expect(count.answered).toBe(count.sent);
  });
});
