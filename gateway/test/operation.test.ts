import type { RunningServer } from '@agent-fleet/shared/http/serve';
import { createLogger } from '@agent-fleet/shared/logger';
import { until } from '@agent-fleet/shared/testing/until';
import { afterEach, describe, expect, test } from '@jest/globals';
import { UPSTREAM_NAMES } from '../src/routing/routes.ts';
import { closeAll, keep } from './proxy/proxy-fixture.ts';
import { API_KEY, nowhere, startFleet, startGateway } from './support/gateway.ts';
import { AGENT_OPERATIONS, startService } from './support/service.ts';

afterEach(closeAll);

const readyOf = async ({ url }: { url: string }) => {
  const answer = await fetch(`${url}/ready`);
  return {
    status: answer.status,
    retryAfter: answer.headers.get('retry-after'),
    body: (await answer.json()) as Readiness,
  };
};

describe('readiness', () => {
  test('is 200 with the state of each dependency', async () => {
    const fleet = keep(await startFleet());
    const checks = Object.fromEntries(['redis', ...UPSTREAM_NAMES].map((name) => [name, 'ok']));
    expect(await readyOf(fleet)).toEqual({ status: 200, retryAfter: null, body: { status: 'ready', checks } });
    expect(await (await fetch(`${fleet.url}/health`)).json()).toEqual({ status: 'ok' });
  });

  test('is 503 while a dependency is unavailable, and health stays 200', async () => {
    const away = await nowhere();
    const gateway = keep(
      await startGateway({ REDIS_URL: await nowhere('redis'), AGENTS_URL: away, REGISTRY_URL: away }),
    );
    const { status, retryAfter, body } = await readyOf(gateway);
    expect([status, retryAfter]).toEqual([503, '1']);
    expect(body).toMatchObject({ status: 'not_ready', checks: { redis: 'unavailable' } });
    expect(body.checks.agents).not.toBe('ok');
    expect((await fetch(`${gateway.url}/health`)).status).toBe(200);
  });

  test('follows the readiness of a service', async () => {
    const url = await nowhere();
    const fleet = keep(await startFleet());
    const gateway = keep(await startGateway({ AGENTS_URL: url, REGISTRY_URL: fleet.registry }));
    expect(await readyOf(gateway)).toMatchObject({ status: 503, body: { checks: { registry: 'ok' } } });
    const service = await startAt(url);
    await until(async () => (await readyOf(gateway)).status === 200);
    await service.close();
    await until(async () => (await readyOf(gateway)).status === 503);
  });
});

describe('an unavailable service', () => {
  test('is routed by its prefix, and responds 503 with Retry-After', async () => {
    const away = await nowhere();
    const gateway = keep(await startGateway({ AGENTS_URL: away, REGISTRY_URL: away }));
    const get = (path: string, headers = {}) => fetch(gateway.url + path, { headers });
    expect((await get('/agents/7')).status).toBe(401);
    const answer = await get('/agents/7', { 'x-api-key': API_KEY });
    expect([answer.status, answer.headers.get('retry-after')]).toEqual([503, '1']);
    expect(await answer.json()).toMatchObject({ error: 'unavailable' });
    expect((await get('/api/skills')).status).toBe(503);
    expect((await get('/api')).status).toBe(404);
  });
});

describe('the access log', () => {
  test('has one line for each request, without query and credentials', async () => {
    const lines: Record<string, unknown>[] = [];
    const logger = createLogger('gateway', 'info', { write: (line) => lines.push(JSON.parse(line)) });
    const fleet = keep(await startFleet({}, logger));
    const requests = () => lines.filter(({ msg, route }) => msg === 'request' && route !== '/ready');
    const traceparent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-00';
    const headers = { 'x-api-key': API_KEY, 'x-request-id': 'mine', traceparent };
    await (await fetch(`${fleet.url}/agents/7?token=hunter2`, { headers })).text();
    await (await fetch(`${fleet.url}/nowhere?token=hunter2`)).text();
    await until(async () => requests().length === 2);
    const [proxied, unknown] = requests();
    expect(proxied).toMatchObject({
      level: 'info',
      request_id: 'mine',
      trace_id: '0af7651916cd43dd8448eb211c80319c',
      client: '127.0.0.1',
      principal: 'key:ci',
      method: 'GET',
      route: '/agents/{agent_id}',
      status: 200,
      duration_ms: expect.any(Number),
      upstream: 'agents',
      replica: '127.0.0.1',
    });
    expect(unknown).toMatchObject({ path: '/nowhere', status: 404, trace_id: expect.stringMatching(/^[0-9a-f]{32}$/) });
    expect(JSON.stringify(lines)).not.toMatch(/hunter2|key-of-the-ci/);
  });
});

function startAt(url: string): Promise<RunningServer> {
  return startService(AGENT_OPERATIONS, Number(new URL(url).port));
}

interface Readiness {
  status: string;
  checks: Record<string, string>;
}
