import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, test } from '@jest/globals';
import { getToken } from '../support/gateway.ts';
import { GatewayProcess, startProcesses } from '../support/gateway-process.ts';
import { startRawUpstreamServer } from '../support/proxy.ts';
import { rawGet } from '../support/raw-client.ts';

describe('a gateway of several processes fails to start with one line', () => {
  test('without a secret for tokens', async () => {
    const gateway = new GatewayProcess({ GATEWAY_PROCESSES: '2', JWT_SECRET: '' });
    await expect(gateway.ended()).resolves.toBe(1);
    expect(gateway.errors).toMatch(/^JWT_SECRET: is required, or JWT_PRIVATE_KEY_FILE .*\n$/);
  });

  test('for an invalid variable', async () => {
    const gateway = new GatewayProcess({ GATEWAY_PROCESSES: '65' });
    await expect(gateway.ended()).resolves.toBe(1);
    expect(gateway.errors).toBe(
      'GATEWAY_PROCESSES: must be a whole number from 1 to 64 (example: GATEWAY_PROCESSES=2)\n',
    );
  });

  test.each(['PORT', 'METRICS_PORT'])('for a %s that is in use', async (variable) => {
    const { port } = await startRawUpstreamServer(() => {});
    const gateway = new GatewayProcess({ GATEWAY_PROCESSES: '3', [variable]: String(port) });
    await expect(gateway.ended()).resolves.toBe(1);
    expect(gateway.errors).toMatch(/^\S+ EADDRINUSE\b.*\n$/);
    expect(gateway.children()).toEqual([]);
  });
});

test('all processes serve one port, accept the same tokens, and log their pid', async () => {
  const gateway = await startProcesses(2);
  await expect(gateway.untilLogged('gateway is listening')).resolves.toMatchObject({ processes: 2, pid: gateway.pid });
  const token = await getToken(gateway);
  for (let times = 0; times < 10; times++) {
    expect((await rawGet(gateway.url, '/protected', `Authorization: Bearer ${token}`)).status).toBe(200);
  }
  const responding = () => new Set(gateway.log().flatMap(({ pid, msg }) => (msg === 'request' ? [pid] : [])));
  await gateway.until(() => responding().size === 2);
  expect([...responding()].sort()).toEqual(gateway.pids().sort());
});

/** A gateway with four requests in flight until `endHeld`. */
async function startWithHeldRequests() {
  const held: (() => void)[] = [];
  const agents = await startRawUpstreamServer((req, res) => {
    if (req.url === '/openapi.json') res.writeHead(404).end();
    else if (req.url === '/ready') res.end('{}');
    else held.push(() => void res.end('{}'));
  });
  const gateway = await startProcesses(2, { AGENTS_URL: agents.url });
  const responses = Promise.all(Array.from({ length: 4 }, () => gateway.get('/agents')));
  await gateway.until(() => held.length === 4);
  const endHeld = () => {
    for (const end of held) end();
  };
  return { gateway, responses, endHeld };
}

test('connections that are opened during a stop get a response or end', async () => {
  for (let round = 0; round < 3; round++) {
    const { gateway, responses, endHeld } = await startWithHeldRequests();
    const port = Number(new URL(gateway.url).port);
    let isStopped = false;
    const clients = Array.from({ length: 30 }, async () => {
      while (!isStopped) await openConnection(port);
    });
    await sleep(300);
    gateway.signalGroup('SIGINT');
    await sleep(500);
    isStopped = true;
    await Promise.all(clients).finally(endHeld);
    await responses;
    expect(await gateway.ended()).toBe(0);
  }
});

/** Sends a request on a new connection; resolves when that has ended. @throws when it is open and silent for 4 s */
function openConnection(port: number): Promise<void> {
  const request = 'GET /health HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n';
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1', () => socket.write(request));
    socket.setTimeout(4_000, () => reject(new Error('A connection hangs')));
    socket.on('error', () => {}).on('close', () => resolve());
    socket.resume();
  });
}

test.each([
  ['to the first process', 'SIGTERM', (gateway: GatewayProcess) => gateway.signal('SIGTERM')],
  ['to all of the group', 'SIGINT', (gateway: GatewayProcess) => gateway.signalGroup('SIGINT')],
] as const)('a signal %s to stop lets requests in flight end: %s', async (_whom, _name, signal) => {
  const { gateway, responses, endHeld } = await startWithHeldRequests();
  signal(gateway);
  await gateway.until(() =>
    fetch(`${gateway.url}/health`).then(
      () => false,
      () => true,
    ),
  );
  endHeld();
  await expect(responses).resolves.toEqual([200, 200, 200, 200]);
  await expect(gateway.ended()).resolves.toBe(0);
  expect(gateway.log().at(-1)).toMatchObject({ msg: 'gateway stopped', pid: gateway.pid });
  expect(gateway.errors).toBe('');
});
