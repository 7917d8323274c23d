import { describe, expect, test } from '@jest/globals';
import { getToken } from '../support/gateway.ts';
import { GatewayProcess, startProcesses } from '../support/gateway-process.ts';
import { startRawUpstreamServer } from '../support/proxy.ts';
import { rawGet } from '../support/raw-client.ts';

describe('a gateway of several processes fails to start with one line', () => {
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

test('all processes serve one port, accept tokens of one another without a configured key, and log their pid', async () => {
  const gateway = await startProcesses(2, { JWT_SECRET: '' });
  await expect(gateway.untilLogged('gateway is listening')).resolves.toMatchObject({ processes: 2, pid: gateway.pid });
  const token = await getToken(gateway);
  for (let times = 0; times < 10; times++) {
    expect((await rawGet(gateway.url, '/protected', `Authorization: Bearer ${token}`)).status).toBe(200);
  }
  const responding = () => new Set(gateway.log().flatMap(({ pid, msg }) => (msg === 'request' ? [pid] : [])));
  await gateway.until(() => responding().size === 2);
  expect([...responding()].sort()).toEqual(gateway.pids().sort());
  expect(gateway.log().filter(({ msg }) => msg.startsWith('JWT_SECRET'))).toHaveLength(1);
});

test.each([
  ['to the first process', 'SIGTERM', (gateway: GatewayProcess) => gateway.signal('SIGTERM')],
  ['to all of the group', 'SIGINT', (gateway: GatewayProcess) => gateway.signalGroup('SIGINT')],
] as const)('a signal %s to stop lets requests in flight end: %s', async (_whom, _name, signal) => {
  const held: (() => void)[] = [];
  const agents = await startRawUpstreamServer((req, res) => {
    if (req.url === '/openapi.json') res.writeHead(404).end();
    else if (req.url === '/ready') res.end('{}');
    else held.push(() => void res.end('{}'));
  });
  const gateway = await startProcesses(2, { AGENTS_URL: agents.url });
  const responses = Array.from({ length: 4 }, () => gateway.get('/agents'));
  await gateway.until(() => held.length === 4);
  signal(gateway);
  await gateway.until(() =>
    fetch(`${gateway.url}/health`).then(
      () => false,
      () => true,
    ),
  );
  for (const end of held) end();
  await expect(Promise.all(responses)).resolves.toEqual([200, 200, 200, 200]);
  await expect(gateway.ended()).resolves.toBe(0);
  expect(gateway.log().at(-1)).toMatchObject({ msg: 'gateway stopped', pid: gateway.pid });
  expect(gateway.errors).toBe('');
});
