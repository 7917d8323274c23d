import { metricIn } from '@agent-fleet/shared/testing/metrics';
import { until } from '@agent-fleet/shared/testing/until';
import { expect, test } from '@jest/globals';
import { openServing } from './support/open-registry.ts';

test('the metrics show the age of the snapshot and of the last check, and count checks and cached responses', async () => {
  const clock = { ms: Date.now() };
  const { upstream, registry } = await openServing(7, { now: () => clock.ms });
  const read = async (name: string) => metricIn(await registry.metrics(), name);
  expect(await read('registry_skills')).toBe(7);
  clock.ms += 60_000;
  upstream.serve('other JSON');
  await registry.refresh();
  clock.ms += 5_000;
  expect(await read('registry_snapshot_age_seconds')).toBe(65);
  expect(await read('registry_check_age_seconds')).toBe(5);
  expect(await read('registry_stale')).toBe(1);
  expect(await read('registry_checks_total{outcome="ok"}')).toBe(1);
  expect(await read('registry_checks_total{outcome="unknown_shape"}')).toBe(1);
  await until(async () => {
    await registry.http.get('/api/skills').expect(200);
    return read('registry_cached_responses_total');
  });
  expect(await read('redis_up')).toBe(1);
});
