import { until } from '@agent-fleet/shared/testing/until';
import { afterEach, describe, expect, test } from '@jest/globals';
import { Load, startGateway, startReplicaProcesses, TWO } from '../support/replicas.ts';
import { closeAll } from './proxy-fixture.ts';

afterEach(closeAll);

describe('under load no GET fails', () => {
  test('when a replica is paused, which is unhealthy until it continues', async () => {
    const { url, processes } = await startReplicaProcesses(TWO);
    const { origin, proxy } = await startGateway(url, { resolve: async () => TWO, timeoutMs: 30_000 });
    const load = new Load(origin, 20);
    await until(() => load.answered > 100);
    processes[0]?.kill('SIGSTOP');
    await until(() => proxy.states()[0]?.state === 'unhealthy' && proxy.states()[0]?.inFlight === 0);
    expect(proxy.figures().retries).toBeGreaterThan(0);
    const before = load.answered;
    await until(() => load.answered > before + 100);
    processes[0]?.kill('SIGCONT');
    await until(() => proxy.states()[0]?.state === 'up');
    await load.stop();
    expect(load.errors).toEqual([]);
  });

  test('when a replica is killed with a hundred requests in flight', async () => {
    const { url, processes } = await startReplicaProcesses(TWO);
    const { origin, proxy } = await startGateway(url, { resolve: async () => TWO });
    const load = new Load(origin, 200);
    // For a budget that suffices.
    for (const answered of [500, 1_000, 1_500, 2_000]) await until(() => load.answered > answered);
    // Paused first, so that what it had answered is read before it dies, and what is in flight then is not answered.
    processes[0]?.kill('SIGSTOP');
    const paused = load.answered;
    await until(() => load.answered > paused + 50 && (proxy.states()[0]?.inFlight ?? 0) > 80);
    processes[0]?.kill('SIGKILL');
    await until(() => proxy.states()[0]?.state === 'unhealthy');
    const before = load.answered;
    await until(() => load.answered > before + 500);
    await load.stop();
    expect(load.errors).toEqual([]);
    expect(proxy.figures().retries).toBeGreaterThan(50);
  });
});
