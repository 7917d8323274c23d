import { metricIn } from '@agent-fleet/shared/testing/metrics';
import { until } from '@agent-fleet/shared/testing/until';
import { expect, test } from '@jest/globals';
import { startService } from './support/start-service.ts';

test('takes back a lease whose client leaves while it is given', async () => {
  const { redis, url, ...service } = await startService({ ownRedis: true });
  await service.createTask(await service.createAgent('claude'));
  const redisPid = Number(/process_id:(\d+)/.exec(await redis.info('server'))?.[1]);
  const untilOpen = (count: number) =>
    until(async () => metricIn(await service.metrics(), 'http_requests_in_flight') === count);

  process.kill(redisPid, 'SIGSTOP');
  const controller = new AbortController();
  const left = fetch(`${url}/leases`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ worker_id: 'left', types: ['claude'], lease_seconds: 600 }),
    signal: controller.signal,
  }).catch(() => undefined);
  await untilOpen(1);
  controller.abort();
  await untilOpen(0);
  process.kill(redisPid, 'SIGCONT');
  await left;

  const { status, body } = await service.leaseByType('claude', { wait_seconds: 20 });
  expect([status, body.leases?.length]).toEqual([201, 1]);
  const types = (await service.http.get('/events')).body.map(({ type }: { type: string }) => type);
  expect(types.filter((type: string) => type === 'task.leased')).toHaveLength(2);
});
