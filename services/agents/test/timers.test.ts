import { until } from '@agent-fleet/shared/testing/until';
import { expect, test } from '@jest/globals';
import { startService } from './support/start-service.ts';

test('handles the timers of other tasks when one task cannot be read', async () => {
  await using service = await startService();
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
