import { createLogger } from '@agent-fleet/shared/logger';
import { storeOn } from '@agent-fleet/shared/redis/store';
import { expect, test } from '@jest/globals';
import { LeaseAcquirer } from '../src/leases/lease-acquirer.ts';
import { Clock } from '../src/redis/clock.ts';
import type { FleetContext } from '../src/redis/fleet-context.ts';
import { startService } from './support/start-service.ts';

test.each([
  { error: 'Command timed out', tries: 1, outcome: 'ends with it, as its own round would time out too' },
  { error: 'Unexpected token', tries: 2, outcome: 'has a round of its own' },
])('a request that arrives before a lease fails with "$error" $outcome', async ({ error, tries }) => {
  const service = await startService();
  const { redis, keys } = service;
  const agent = await service.createAgent();
  await service.createTask(agent);
  const [begun, mayEnd] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  let tried = 0;
  const change = async () => {
    tried += 1;
    begun.resolve();
    await mayEnd.promise;
    throw new Error(error);
  };
  const logger = createLogger('test', 'silent');
  const context = { ...storeOn(redis), keys, clock: new Clock(), logger } as FleetContext;
  const acquirer = new LeaseAcquirer(context, change);
  const acquire = () => acquirer.acquire({ agent }, 1, { workerId: 'w', leaseSeconds: 5, accepts: [], labels: [] });
  const first = acquire();
  await begun.promise;
  const second = acquire();
  mayEnd.resolve();
  expect(await Promise.allSettled([first, second])).toMatchObject([
    { reason: { message: error } },
    { reason: { message: error } },
  ]);
  expect(tried).toBe(tries);
});

test('leases tasks to all workers that ask at once, also when some agents have fewer than others', async () => {
  const service = await startService();
  for (const count of [1, 1, 1, 1, 8]) await service.createTasks(await service.createAgent('gemini'), count);
  const replies = await Promise.all(Array.from({ length: 12 }, () => service.leaseByType('gemini')));
  expect(replies.map(({ status }) => status)).toEqual(Array(12).fill(201));
});
