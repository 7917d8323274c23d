import { own } from '@agent-fleet/scripts/testing/own';
import { createLogger } from '@agent-fleet/shared/logger';
import { openStore } from '@agent-fleet/shared/redis/store';
import { testRedisUrl } from '@agent-fleet/shared/testing/redis';
import { until } from '@agent-fleet/shared/testing/until';
import { expect, test } from '@jest/globals';
import { createReadinessCheck } from '../src/readiness.ts';
import { UPSTREAM_NAMES } from '../src/routing/routes.ts';
import { allServices, nowhere, startGateway, startWithServices } from './support/gateway.ts';
import { startService } from './support/service.ts';

const readyOf = async ({ url }: { url: string }) => {
  const response = await fetch(`${url}/ready`);
  const body = (await response.json()) as { status: string; checks: Record<string, string> };
  return { status: response.status, retryAfter: response.headers.get('retry-after'), body };
};

test('the gateway is ready with the state of each dependency', async () => {
  const gateway = await startWithServices();
  const checks = Object.fromEntries(['redis', ...UPSTREAM_NAMES].map((name) => [name, 'ok']));
  const ready = await until(() => readyOf(gateway), { holds: ({ status }) => status === 200 });
  expect(ready).toEqual({ status: 200, retryAfter: null, body: { status: 'ready', checks } });
  expect(await (await fetch(`${gateway.url}/health`)).json()).toEqual({ status: 'ok' });
});

test('the gateway is healthy but not ready while its dependencies are unavailable', async () => {
  const gateway = await startGateway({ REDIS_URL: await nowhere('redis') });
  const { status, retryAfter, body } = await readyOf(gateway);
  expect([status, retryAfter]).toEqual([503, '1']);
  expect(body).toMatchObject({ status: 'not_ready', checks: { redis: 'unavailable' } });
  expect(body.checks.agents).not.toBe('ok');
  expect((await fetch(`${gateway.url}/health`)).status).toBe(200);
});

test('the gateway becomes ready with a service, and not ready when the service stops', async () => {
  const url = await nowhere();
  const others = await startService();
  const gateway = await startGateway({ ...allServices(others.url), AGENTS_URL: url });
  await until(() => readyOf(gateway), {
    holds: ({ status, body: { checks } }) => status === 503 && checks.registry === 'ok' && checks.identity === 'ok',
  });
  const agents = await startService(url);
  await until(async () => (await readyOf(gateway)).status === 200);
  agents.close();
  const unready = await until(() => readyOf(gateway), { holds: ({ status }) => status === 503 });
  expect(unready.body.checks).toMatchObject({ registry: 'ok', identity: 'ok' });
});

test('the gateway is not ready before it follows changes of credentials: it would end event streams then', async () => {
  const store = openStore(testRedisUrl(), createLogger('test', 'silent'));
  own(() => store.close());
  await until(() => store.isReady());
  const stateAt = (position: number) => createReadinessCheck({ store, changes: { position }, upstreams: {} })();
  expect(await stateAt(0)).toEqual({ redis: 'unavailable' });
  expect(await stateAt(1)).toEqual({ redis: 'ok' });
});
