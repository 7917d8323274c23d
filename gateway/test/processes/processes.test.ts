import { afterEach, describe, expect, test } from '@jest/globals';
import { closeAll, startRawUpstreamServer } from '../proxy/proxy-fixture.ts';
import { API_KEY, getToken } from '../support/gateway.ts';
import { endAll, type GatewayProcess, spawnGateway, startProcesses } from '../support/gateway-process.ts';
import { rawGet } from '../support/raw-request.ts';

afterEach(endAll);
afterEach(closeAll);

/** A GET on a connection of its own, which goes to the next process. */
async function get({ url }: GatewayProcess, path: string, ...headers: string[]): Promise<number> {
  return (await rawGet(url, path, `X-API-Key: ${API_KEY}`, ...headers)).status;
}

const pids = (gateway: GatewayProcess) => gateway.children().map(({ pid }) => pid);

describe('a gateway of several processes fails to start with one line', () => {
  test('for an invalid variable', async () => {
    const gateway = spawnGateway({ GATEWAY_PROCESSES: '65' });
    await expect(gateway.ended()).resolves.toBe(1);
    expect(gateway.errors).toBe(
      'GATEWAY_PROCESSES: must be a whole number from 1 to 64 (example: GATEWAY_PROCESSES=2)\n',
    );
  });

  test.each(['PORT', 'METRICS_PORT'])('for a %s that is in use', async (variable) => {
    const { port } = await startRawUpstreamServer(() => {});
    const gateway = spawnGateway({ GATEWAY_PROCESSES: '3', [variable]: String(port) });
    await expect(gateway.ended()).resolves.toBe(1);
    expect(gateway.errors).toMatch(/^\S+ EADDRINUSE\b.*\n$/);
    expect(gateway.children()).toEqual([]);
  });
});

test('all processes serve one port, and each log line has the pid', async () => {
  const gateway = await startProcesses(2);
  await expect(gateway.untilLogged('gateway listens')).resolves.toMatchObject({ processes: 2, pid: gateway.pid });
  for (let times = 0; times < 10; times++) await expect(get(gateway, '/agents')).resolves.toBe(200);
  const answering = () => new Set(gateway.log().flatMap(({ pid, msg }) => (msg === 'request' ? [pid] : [])));
  await gateway.until(() => answering().size === 2);
  expect([...answering()].sort()).toEqual(pids(gateway).sort());
});

test('all processes accept a token of one when no key is configured', async () => {
  const gateway = await startProcesses(2, { JWT_SECRET: '' });
  const token = await getToken(gateway.url);
  for (let times = 0; times < 6; times++) {
    expect((await rawGet(gateway.url, '/protected', `Authorization: Bearer ${token}`)).status).toBe(200);
  }
  expect(gateway.log().filter(({ msg }) => msg.startsWith('JWT_SECRET'))).toHaveLength(1);
});

describe('a signal to stop', () => {
  test.each([
    ['to the first process', 'SIGTERM', (gateway: GatewayProcess) => gateway.signal('SIGTERM')],
    ['to all of the group', 'SIGINT', (gateway: GatewayProcess) => gateway.signalGroup('SIGINT')],
  ] as const)('%s lets requests in flight end, %s', async (_whom, _name, signal) => {
    const held: (() => void)[] = [];
    const agents = await startRawUpstreamServer((req, res) => {
      if (req.url === '/openapi.json') res.writeHead(404).end();
      else if (req.url === '/ready') res.end('{}');
      else held.push(() => void res.end('{}'));
    });
    const gateway = await startProcesses(2, { AGENTS_URL: agents.url });
    const answers = Array.from({ length: 4 }, () => get(gateway, '/agents'));
    await gateway.until(() => held.length === 4);
    signal(gateway);
    await gateway.until(() =>
      fetch(`${gateway.url}/health`).then(
        () => false,
        () => true,
      ),
    );
    for (const end of held) end();
    await expect(Promise.all(answers)).resolves.toEqual([200, 200, 200, 200]);
    await expect(gateway.ended()).resolves.toBe(0);
    expect(gateway.log().at(-1)).toMatchObject({ msg: 'gateway stopped', pid: gateway.pid });
    expect(gateway.errors).toBe('');
  });
});
