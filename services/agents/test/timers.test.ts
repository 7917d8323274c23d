import { setTimeout as sleep } from 'node:timers/promises';
import { until } from '@agent-fleet/shared/testing/until';
import { expect, test } from '@jest/globals';
import { startReplicas } from './support/replicas.ts';
import { startService } from './support/start-service.ts';

test('handles the timers of other tasks when one task cannot be read', async () => {
  const service = await startService();
  const { redis, keys, createTask } = service;
  const agentId = await service.createAgent();
  const [broken, other] = [await createTask(agentId), await createTask(agentId)];
  await redis.set(keys.task(broken.id), '{');
  await redis.zadd(keys.timers, 1, broken.id, 2, other.id);
  await until(() => redis.zscore(keys.timers, other.id), {
    holds: (due) => Number(due) === Date.parse(other.expires_at),
  });
  expect(await redis.zscore(keys.timers, broken.id)).not.toBe('1');
});

test('does not handle a timer by its own clock before it knows the time of Redis', async () => {
  const { redis, keys, clients, start, kill } = await startReplicas([60_000]);
  const [client] = clients as [(typeof clients)[number]];
  const agent = await client.createAgent();
  const at = Date.now();
  const [scheduled_at, expires_at] = [at + 4_000, at + 50_000].map((ms) => new Date(ms).toISOString());
  const { id } = await client.createTask(agent, { scheduled_at, expires_at });
  await kill(0);
  // The reply to the first claim takes too long to measure by, and its timer is due by then.
  await redis.client('PAUSE', 60_000, 'WRITE');
  const starting = start(0);
  await until(async () => /flags=b .*cmd=eval/.test(String(await redis.client('LIST'))));
  await sleep(4_000);
  await redis.client('UNPAUSE');
  await starting;
  const isHandled = async () => Number(await redis.zscore(keys.timers, id)) >= Date.parse(expires_at as string);
  await until(isHandled);
  expect((await client.http.get(`/agents/${agent}/tasks/${id}`)).body).toMatchObject({ status: 'pending' });
});
