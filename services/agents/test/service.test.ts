import { ConfigError } from '@agent-fleet/shared/config';
import { until } from '@agent-fleet/shared/testing/until';
import { expect, test } from '@jest/globals';
import { readAgentsConfig } from '../src/config.ts';
import { callerHeaders } from './support/callers.ts';
import { startReplicas } from './support/replicas.ts';
import { send } from './support/send.ts';
import { startService } from './support/start-service.ts';

const VIEWER = callerHeaders('user:ada@example.com', { scopes: ['agents:read'] });

test('accepts requests with the internal token only', async () => {
  const token = 'an-internal-token-of-tests';
  const service = await startService({ env: { INTERNAL_TOKEN: token } });
  for (const path of ['/agents', '/openapi.json']) {
    expect((await service.http.get(path).expect(403)).body.error).toBe('forbidden');
    await service.http.get(path).set('x-fleet-internal-token', `${token}x`).expect(403);
    await service.http.get(path).set('x-fleet-internal-token', token).set(VIEWER).expect(200);
  }
  await service.http.get('/health').expect(200);
  await service.http.get('/ready').expect(200);
  await service.http.get('/ready').set('x-fleet-internal-token', token).expect(200);
  await service.http.get('/ready').set('x-fleet-internal-token', `${token}x`).expect(403);
});

test('reads the allowed agent types from AGENT_TYPES', async () => {
  const service = await startService({ env: { AGENT_TYPES: 'planner, coder' } });
  await service.createAgent('coder');
  const refused = await service.http.post('/agents').send({ name: 'x', type: 'claude' }).expect(400);
  expect(refused.body.message).toBe('type: must be one of planner, coder');
});

/** A replica with a Redis of its own; `restart` returns the first response that it gives after a SIGKILL. */
async function startReplica() {
  const { ownRedis, redis, ports, start, kill } = await startReplicas([0]);
  const get = (path: string) => send<object>(ports[0] as number, { method: 'GET', path });
  const restart = async () => {
    await kill(0);
    const ready = start(0);
    return { ready, first: await until(() => get('/agents'), { pollMs: 2 }) };
  };
  return { ownRedis, redis, get, restart };
}

test('listens once it can serve, and without Redis says so', async () => {
  const replica = await startReplica();
  const { ownRedis, redis, get, restart } = replica;
  for (let round = 0; round < 3; round++) {
    const { ready, first } = await restart();
    expect(first).toMatchObject({ status: 200, body: [] });
    await ready;
  }
  await ownRedis.kill();
  const { ready, first } = await restart();
  expect(first).toMatchObject({ status: 503, body: { error: 'unavailable' } });
  expect(await get('/ready')).toMatchObject({ status: 503, body: { status: 'not_ready' } });
  expect(await get('/health')).toMatchObject({ status: 200 });
  await ownRedis.restart();
  await ready;
  // `disconnect` while the client is about to reconnect would leave a timer of 2 s.
  await redis.ping();
});

test('serves nothing before it knows the time of Redis', async () => {
  const replica = await startReplica();
  // Only the measurement fails, so that the layout of the data is known.
  await replica.redis.acl('SETUSER', 'default', '-eval_ro');
  const began = Date.now();
  const { ready, first } = await replica.restart();
  expect(Date.now() - began).toBeGreaterThan(1_500);
  expect(await replica.get('/ready')).toMatchObject({ body: { checks: { clock: 'not measured' } } });
  expect(first).toMatchObject({ status: 503, body: { message: 'The service is starting; try again' } });
  await replica.redis.acl('SETUSER', 'default', '+eval_ro');
  await ready;
  expect(await replica.get('/agents')).toMatchObject({ status: 200, body: [] });
});

test('names a wrong variable, its problem and an example, but not its value', () => {
  const read = () => readAgentsConfig({ PORT: 'abc', AGENT_TYPES: 'a b', INTERNAL_TOKEN: 'short' });
  expect(read).toThrow(ConfigError);
  expect(read).toThrow(/^PORT: must be a whole number from 0 to 65535 \(example: PORT=8081\)$/m);
  expect(read).toThrow(/^AGENT_TYPES: must be a comma-separated list .* \(example: AGENT_TYPES=claude,gpt,gemini\)$/m);
  expect(read).not.toThrow(/short/);
  expect(() => readAgentsConfig({ NODE_ENV: 'production' })).toThrow(/^INTERNAL_TOKEN: is required in production/);
});
