import { setTimeout as sleep } from 'node:timers/promises';
import { createLogger } from '@agent-fleet/shared/logger';
import { connectRedis, waitForRedis } from '@agent-fleet/shared/redis/connection';
import { processIdOf } from '@agent-fleet/shared/testing/redis-nodes';
import { expect, test } from '@jest/globals';
import type { Redis } from 'ioredis';
import { LeaseAcquirer } from '../src/leases/lease-acquirer.ts';
import { Clock } from '../src/redis/clock.ts';
import type { ChangeTask } from '../src/tasks/task-changer.ts';
import { startService } from './support/start-service.ts';

test('a request that arrives while a lease is not answered waits no longer than that lease', async () => {
  await using service = await startService({ ownRedis: true });
  const agent = await service.createAgent();
  await service.createTask(agent);
  const logger = createLogger('test', 'silent');
  const redis = connectRedis(service.ownRedis?.url as string, logger, { commandTimeout: 1_000 });
  await waitForRedis(redis, 60_000);
  const pid = await processIdOf(redis as Redis);
  const paused = Promise.withResolvers<void>();
  const change = async () => {
    process.kill(pid, 'SIGSTOP');
    const unanswered = redis.get('x');
    paused.resolve();
    return unanswered;
  };
  const context = { redis, keys: service.keys, clock: new Clock(), logger, retention: { ms: 60_000, count: 10 } };
  const acquirer = new LeaseAcquirer(context, change as unknown as ChangeTask);
  const acquire = () => acquirer.acquire({ agent }, 1, { workerId: 'w', leaseSeconds: 5 });
  try {
    const first = acquire();
    await paused.promise;
    const second = acquire().catch(String);
    await expect(first).rejects.toThrow('Command timed out');
    expect(await Promise.race([second, sleep(200, 'still waits')])).toMatch('Command timed out');
  } finally {
    process.kill(pid, 'SIGCONT');
    redis.disconnect();
  }
});
