import { createLogger } from '@agent-fleet/shared/logger';
import { testRedisUrl, uniquePrefix } from '@agent-fleet/shared/testing/redis';
import { until } from '@agent-fleet/shared/testing/until';
import { expect, test } from '@jest/globals';
import { RefreshSchedule } from '../src/snapshots/refresh-schedule.ts';
import { opened } from './opened.ts';

test('the first job of a schedule, beside that of the start, asks nothing that was asked within half a refresh', async () => {
  const minAges = new Set<number>();
  const options = {
    redisUrl: testRedisUrl(),
    prefix: uniquePrefix('schedule'),
    sourcesKey: 'some',
    everyMs: 20_000,
    logger: createLogger('test', 'silent'),
  };
  let runs = 0;
  const refresh = async (minAgeMs: number) => {
    minAges.add(minAgeMs);
    runs++;
  };
  const schedule = new RefreshSchedule(options, { refresh, lastCheckAt: () => Date.now() });
  opened.push(() => schedule.close());
  await until(async () => runs, { holds: (count) => count >= 2 });
  expect(minAges).toEqual(new Set([5_000, 10_000]));
});
