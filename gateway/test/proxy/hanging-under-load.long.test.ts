import { freePort } from '@agent-fleet/scripts/local/ports';
import { until } from '@agent-fleet/shared/testing/until';
import { describe, expect, test } from '@jest/globals';
import { startLoad } from '../support/load.ts';
import { startProbingProxy, startScript, TWO } from '../support/replicas.ts';

/** Responds after 100 ms, so that requests are always in flight. */
const SERVER = `
  require('node:http').createServer({ keepAliveTimeout: 75_000 }, (req, res) => {
    setTimeout(() => res.writeHead(200, { 'content-length': 2 }).end('{}'), req.url === '/ready' ? 0 : 100);
  }).listen(process.argv[2], process.argv[1], () => console.log('listening'));
`;

/** A proxy in front of two processes. */
async function start() {
  const port = await freePort();
  const processes = await Promise.all(TWO.map((address) => startScript(SERVER, address, String(port))));
  const { origin, proxy } = await startProbingProxy(`http://replicas.test:${port}`, TWO, { timeoutMs: 30_000 });
  return { origin, proxy, first: () => proxy.states()[0], kill: (name: NodeJS.Signals) => processes[0]?.kill(name) };
}

describe('under load no GET fails', () => {
  test('when a replica is paused, which is unhealthy until it continues', async () => {
    const { origin, proxy, first, kill } = await start();
    const load = startLoad(origin, 20);
    await until(() => load.answered > 100);
    kill('SIGSTOP');
    await until(() => first()?.state === 'unhealthy' && first()?.inFlight === 0);
    expect(proxy.figures().retries).toBeGreaterThan(0);
    const before = load.answered;
    await until(() => load.answered > before + 100);
    kill('SIGCONT');
    await until(() => first()?.state === 'up');
    expect((await load.end()).errors).toEqual([]);
  });

  test('when a replica is killed with a hundred requests in flight', async () => {
    const { origin, proxy, first, kill } = await start();
    const load = startLoad(origin, 200);
    // Enough requests for the retry budget.
    for (const answered of [500, 1_000, 1_500, 2_000]) await until(() => load.answered > answered);
    // Paused first, so that its earlier responses are read before it dies, and its requests in flight get no response.
    kill('SIGSTOP');
    const paused = load.answered;
    await until(() => load.answered > paused + 50 && (first()?.inFlight ?? 0) > 80);
    kill('SIGKILL');
    await until(() => first()?.state === 'unhealthy');
    const before = load.answered;
    await until(() => load.answered > before + 500);
    expect((await load.end()).errors).toEqual([]);
    expect(proxy.figures().retries).toBeGreaterThan(50);
  });
});
