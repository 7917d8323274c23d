import { own } from '@agent-fleet/scripts/testing/own';
import { createLogger } from '@agent-fleet/shared/logger';
import { testRedisUrl, uniquePrefix } from '@agent-fleet/shared/testing/redis';
import { until } from '@agent-fleet/shared/testing/until';
import { expect, test } from '@jest/globals';
import { RefreshSchedule } from '../src/publish/refresh-schedule.ts';

test('the first job of a schedule skips sources that were checked within half a refresh interval', async () => {
  const minAges = new Set<number>();
  const names = { redisUrl: testRedisUrl(), prefix: uniquePrefix('schedule'), sourcesKey: 'some' };
  const options = { ...names, everyMs: 20_000, logger: createLogger('test', 'silent') };
  let runs = 0;
  const refresh = async (minAgeMs: number) => {
    minAges.add(minAgeMs);
    runs++;
  };
  const schedule = new RefreshSchedule(options, refresh);
  own(() => schedule.close());
  await until(async () => runs, { holds: (count) => count >= 2 });
  expect(minAges).toEqual(new Set([5_000, 10_000]));
});
