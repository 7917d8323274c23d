import { remaining } from '@agent-fleet/shared/testing/processes';
import { afterEach, describe, expect, test } from '@jest/globals';
import { closeAll, startRawUpstreamServer } from '../proxy/proxy-fixture.ts';
import { API_KEY, getToken, nowhere } from '../support/gateway.ts';
import { endAll, type GatewayProcess, spawnGateway, startProcesses } from '../support/gateway-process.ts';
import { rawGet } from '../support/raw-request.ts';

const GONE_MS = 15_000;

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

describe('a process killed with -9', () => {
  test('is replaced, and its end is logged', async () => {
    const gateway = await startProcesses(2);
    const [killed = 0, other = 0] = pids(gateway);
    process.kill(killed, 'SIGKILL');
    const line = await gateway.untilLogged('process ended, another takes its place');
    expect(line).toMatchObject({ level: 'error', ended_pid: killed, signal: 'SIGKILL' });
    await expect(get(gateway, '/agents')).resolves.toBe(200);
    await gateway.until(async () => (await gateway.metrics()).includes('gateway_processes 2\n'));
    expect(pids(gateway)).toEqual([other, expect.any(Number)]);
  });

  test('loses only the connections that it has not accepted yet', async () => {
    const gateway = await startProcesses(2);
    const [killed = 0] = pids(gateway);
    process.kill(killed, 'SIGSTOP');
    const outcomes: unknown[] = [];
    const ask = async () => outcomes.push(await get(gateway, '/agents').catch(() => 'cut off'));
    const asked = Array.from({ length: 4 }, ask);
    await gateway.until(() => outcomes.length === 3);
    process.kill(killed, 'SIGKILL');
    await Promise.all(asked);
    expect(outcomes).toEqual([200, 200, 200, 'cut off']);
  });

  test('five times in a row makes the gateway exit', async () => {
    const gateway = await startProcesses(2);
    const killing = setInterval(() => {
      for (const pid of pids(gateway).slice(1)) process.kill(pid, 'SIGKILL');
    }, 50);
    await expect(gateway.ended().finally(() => clearInterval(killing))).resolves.toBe(1);
    expect(gateway.log().at(-1)).toMatchObject({ level: 'fatal' });
    expect(gateway.log().filter(({ msg }) => msg.startsWith('process ended'))).toHaveLength(5);
  });
});

test('no child process outlives the first one, even after kill -9', async () => {
  const gateway = await startProcesses(3);
  const children = gateway.children();
  expect(children).toHaveLength(3);
  gateway.signal('SIGKILL');
  await expect(remaining(children, GONE_MS)).resolves.toEqual([]);
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

describe('the metrics', () => {
  const count = async (gateway: GatewayProcess) =>
    Number(
      /http_request_duration_seconds_count\{.*route="\/agents",status="200"\} (\d+)/.exec(await gateway.metrics())?.[1],
    );

  test('cover all processes, and no count falls when one ends', async () => {
    const gateway = await startProcesses(2);
    for (let times = 0; times < 10; times++) await get(gateway, '/agents');
    await gateway.until(async () => (await count(gateway)) === 10);
    process.kill(pids(gateway)[0] as number, 'SIGKILL');
    await gateway.untilLogged('process ended, another takes its place');
    expect(await count(gateway)).toBe(10);
    expect(await gateway.metrics()).toContain('gateway_process_ends_total 1\n');
  });

  test('are served although a process does not respond', async () => {
    const gateway = await startProcesses(2);
    for (let times = 0; times < 10; times++) await get(gateway, '/agents');
    await gateway.until(async () => (await count(gateway)) === 10);
    const [silent = 0] = pids(gateway);
    process.kill(silent, 'SIGSTOP');
    expect(await count(gateway)).toBe(10);
    process.kill(silent, 'SIGCONT');
  });
});

test('a child process is replaced while a service is unavailable', async () => {
  const gateway = spawnGateway({ GATEWAY_PROCESSES: '2', AGENTS_URL: await nowhere(), REGISTRY_URL: await nowhere() });
  await gateway.untilLogged('gateway listens');
  process.kill(pids(gateway)[0] as number, 'SIGKILL');
  await gateway.until(async () => (await gateway.metrics()).includes('gateway_processes 2\n'));
});
