import { remaining } from '@agent-fleet/shared/testing/processes';
import { afterEach, describe, expect, test } from '@jest/globals';
import { API_KEY, nowhere } from '../support/gateway.ts';
import { endAll, type GatewayProcess, spawnGateway, startProcesses } from '../support/gateway-process.ts';
import { rawGet } from '../support/raw-request.ts';

const GONE_MS = 15_000;

afterEach(endAll);

/** A GET on a connection of its own, which goes to the next process. */
async function get({ url }: GatewayProcess, path: string, ...headers: string[]): Promise<number> {
  return (await rawGet(url, path, `X-API-Key: ${API_KEY}`, ...headers)).status;
}

const pids = (gateway: GatewayProcess) => gateway.children().map(({ pid }) => pid);

describe('a process killed with -9', () => {
  test('is replaced, and its end is logged', async () => {
    const gateway = await startProcesses(2);
    const [killed = 0, other = 0] = pids(gateway);
    process.kill(killed, 'SIGKILL');
    const line = await gateway.untilLogged('process exited, starting another');
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
    expect(gateway.log().filter(({ msg }) => msg.startsWith('process exited'))).toHaveLength(5);
  });
});

test('no child process outlives the first one, even after kill -9', async () => {
  const gateway = await startProcesses(3);
  const children = gateway.children();
  expect(children).toHaveLength(3);
  gateway.signal('SIGKILL');
  await expect(remaining(children, GONE_MS)).resolves.toEqual([]);
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
    await gateway.untilLogged('process exited, starting another');
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
