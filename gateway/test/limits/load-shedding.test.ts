import { BlockList } from 'node:net';
import { createHttpApp, finishApp } from '@agent-fleet/shared/http/app';
import { serve } from '@agent-fleet/shared/http/serve';
import { createLogger } from '@agent-fleet/shared/logger';
import { until } from '@agent-fleet/shared/testing/until';
import { afterEach, describe, expect, test } from '@jest/globals';
import { Registry } from 'prom-client';
import { logAccess, logRefused } from '../../src/observability/access-log.ts';
import { shedLoad } from '../../src/overload/load-shedding.ts';
import { closeAll, own, RawClient, statusesIn } from '../proxy/proxy-fixture.ts';

afterEach(closeAll);

const WORK_MS = 10;
/** What comes together is read within it, also on a busy machine. */
const MAX_WAIT_MS = 600;
/** As many take three times as long. */
const EARLY = (3 * MAX_WAIT_MS) / WORK_MS;

/** A server of which each request takes the event loop for 10 ms; it knows which were started. */
async function startBusyServer(maxWaitMs = 60_000) {
  const lines: Record<string, unknown>[] = [];
  const started: string[] = [];
  const logger = createLogger('test', 'info', { write: (line) => lines.push(JSON.parse(line)) });
  const registry = new Registry();
  const shedding = shedLoad({ logger, registry, maxWaitMs, onRefused: logRefused(logAccess(logger), new BlockList()) });
  const app = createHttpApp();
  app.use((req, res) => {
    started.push(req.url);
    if (req.url === '/connect') return void res.json({});
    for (const until = performance.now() + WORK_MS; performance.now() < until; );
    res.json({});
  });
  const server = await serve(finishApp(app, logger), {
    host: '127.0.0.1',
    port: 0,
    lifecycle: { stopping: false },
    drainSeconds: 0,
    createScheduler: shedding.createScheduler,
  });
  own(async () => {
    shedding.close();
    server.server.closeAllConnections();
    await server.close();
  });
  return { port: server.port, lines, started, metrics: () => registry.metrics() };
}

/** Connections that the server has taken already. */
async function connect(port: number, count: number): Promise<RawClient[]> {
  const clients = Array.from({ length: count }, () => new RawClient(port));
  for (const client of clients) client.send(toRequest('/connect'));
  await until(() => clients.every(({ text }) => statusesIn(text).length === 1));
  for (const client of clients) client.text = '';
  return clients;
}

function toRequest(path: string): string {
  return `GET ${path} HTTP/1.1\r\nHost: a\r\n\r\n`;
}

function statuses(clients: RawClient[]): number[] {
  return clients.flatMap(({ text }) => statusesIn(text));
}

test('refuses requests at once while others have waited too long, but never probes', async () => {
  const { port, lines, started, metrics } = await startBusyServer(MAX_WAIT_MS);
  const [early, late, probes] = [await connect(port, EARLY), await connect(port, 20), await connect(port, 4)];
  started.length = 0;
  for (const client of early) client.send(toRequest('/early'));
  // The first of the others has waited for longer by then.
  await until(() => started.length > (2 * MAX_WAIT_MS) / WORK_MS);
  for (const client of late) client.send(toRequest('/late'));
  for (const client of probes) client.send(toRequest('/ready?x'));
  await until(() => statuses(late).length === late.length);
  expect(new Set(statuses(late))).toEqual(new Set([503]));
  expect(late[0]?.text).toContain('\r\nretry-after: 1\r\n');
  expect(late[0]?.text).toMatch(/\r\nx-request-id: [0-9a-f-]{36}\r\n/);
  expect(late[0]?.text).toContain('{"error":"overloaded",');
  await until(() => statuses([...early, ...probes]).length === early.length + probes.length);
  expect(new Set(statuses([...early, ...probes]))).toEqual(new Set([200]));
  // The probes did not wait for those that were there before them.
  expect(started.lastIndexOf('/ready?x')).toBeLessThan(started.lastIndexOf('/early'));
  expect(started).not.toContain('/late');
  expect(await metrics()).toContain(`gateway_shed_total ${late.length}\n`);
  await until(() => lines.some(({ msg }) => msg === 'shedding load'));
  expect(lines.find(({ msg }) => msg === 'shedding load')).toMatchObject({ requests: late.length });
  const refusals = lines.filter(({ rejected_by }) => rejected_by === 'overload');
  expect(refusals).toHaveLength(late.length);
  expect(refusals[0]).toMatchObject({ path: '/late', client: '127.0.0.1', status: 503, error: 'overloaded' });
  expect(late[0]?.text).toContain(`\r\nx-request-id: ${refusals[0]?.request_id}\r\n`);
});

describe('queued requests', () => {
  test('start in the order of their arrival, on one connection too', async () => {
    const { port, started } = await startBusyServer();
    const [others, client] = [await connect(port, 70), (await connect(port, 1))[0] as RawClient];
    started.length = 0;
    for (const other of others) other.send(toRequest('/other'));
    await until(() => started.length > 0);
    client.send(`${toRequest('/1')}POST /2 HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\n\r\n{}${toRequest('/3')}`);
    await until(() => statuses([client]).length === 3);
    expect(started.filter((url) => url !== '/other')).toEqual(['/1', '/2', '/3']);
  });

  test('are dropped when their clients disconnect', async () => {
    const { port, started } = await startBusyServer();
    const [others, [gone]] = [await connect(port, 150), await connect(port, 1)];
    started.length = 0;
    for (const other of others) other.send(toRequest('/other'));
    await until(() => started.length > 0);
    gone?.send(toRequest('/gone')).socket.destroy();
    await until(() => statuses(others).length === others.length);
    expect(started).not.toContain('/gone');
  });

  test('are answered before a malformed request behind them', async () => {
    const { port } = await startBusyServer();
    const [others, [broken]] = [await connect(port, 70), await connect(port, 1)];
    for (const other of others) other.send(toRequest('/other'));
    broken?.send(`${toRequest('/whole')}nonsense\r\n\r\n`);
    await until(() => broken?.closed === true);
    expect(statusesIn(broken?.text ?? '')[0]).toBe(200);
  });
});
