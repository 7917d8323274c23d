import { remaining } from '@agent-fleet/shared/testing/processes';
import { describe, expect, test } from '@jest/globals';
import { GatewayProcess, startProcesses } from '../support/gateway-process.ts';

const GONE_MS = 15_000;

function killIfRunning(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}

describe('a process killed with -9', () => {
  test('is replaced, and its end is logged', async () => {
    const gateway = await startProcesses(2);
    const [killed = 0, other = 0] = gateway.pids();
    process.kill(killed, 'SIGKILL');
    const line = await gateway.untilLogged('process exited, starting another');
    expect(line).toMatchObject({ level: 'error', ended_pid: killed, signal: 'SIGKILL' });
    await expect(gateway.get('/agents')).resolves.toBe(200);
    await gateway.untilMetric('gateway_processes 2');
    expect(gateway.pids()).toEqual([other, expect.any(Number)]);
  });

  test('is replaced while a service is unavailable', async () => {
    const gateway = new GatewayProcess({ GATEWAY_PROCESSES: '2' });
    await gateway.untilLogged('gateway is listening');
    const [killed = 0] = gateway.pids();
    process.kill(killed, 'SIGKILL');
    await gateway.untilLogged('process exited, starting another');
    await gateway.untilMetric('gateway_processes 2');
    expect(gateway.pids()).not.toContain(killed);
  });

  test('loses only the connections that it has not accepted yet', async () => {
    const gateway = await startProcesses(2);
    const [killed = 0] = gateway.pids();
    process.kill(killed, 'SIGSTOP');
    const outcomes: unknown[] = [];
    const send = async () => outcomes.push(await gateway.get('/agents').catch(() => 'cut off'));
    const requests = Array.from({ length: 4 }, send);
    await gateway.until(() => outcomes.length === 3);
    process.kill(killed, 'SIGKILL');
    await Promise.all(requests);
    expect(outcomes).toEqual([200, 200, 200, 'cut off']);
  });

  test('five times in a row, within 10 s of its start, makes the gateway exit', async () => {
    const startedAt = performance.now();
    const gateway = await startProcesses(2);
    const [, second = 0] = gateway.pids();
    process.kill(second, 'SIGKILL');
    const isFirstEarly = performance.now() - startedAt < 10_000;
    const killing = setInterval(() => {
      for (const pid of gateway.pids().slice(1)) killIfRunning(pid);
    }, 50);
    await expect(gateway.ended().finally(() => clearInterval(killing))).resolves.toBe(1);
    expect(gateway.log().at(-1)).toMatchObject({ level: 'fatal' });
    const ends = gateway.log().filter(({ msg }) => msg.startsWith('process exited'));
    expect([5, isFirstEarly ? 5 : 6]).toContain(ends.length);
  });
});

test('no child process outlives the primary process, even after kill -9', async () => {
  const gateway = await startProcesses(3);
  const children = gateway.children();
  expect(children).toHaveLength(3);
  gateway.signal('SIGKILL');
  await expect(remaining(children, GONE_MS)).resolves.toEqual([]);
});

test('the metrics cover all processes, though one does not respond, and no count falls when one ends', async () => {
  const gateway = await startProcesses(2);
  const count = async () =>
    Number(
      /http_request_duration_seconds_count\{.*route="\/agents",status="200"\} (\d+)/.exec(await gateway.metrics())?.[1],
    );
  for (let times = 0; times < 10; times++) await gateway.get('/agents');
  await gateway.until(async () => (await count()) === 10);
  const [pid = 0] = gateway.pids();
  process.kill(pid, 'SIGSTOP');
  expect(await count()).toBe(10);
  process.kill(pid, 'SIGKILL');
  await gateway.untilLogged('process exited, starting another');
  expect(await count()).toBe(10);
  expect(await gateway.metrics()).toContain('gateway_process_ends_total 1\n');
});
