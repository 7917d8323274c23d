import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { registryOf } from './support/fake-upstream.ts';
import { FAULTS } from './support/faults.ts';
import { openServing } from './support/open-registry.ts';

const REFRESH_MS = 300_000;
const HOURS = 12;
/** Each step is a fault or a recovery of upstream. */
const STEPS = fc.sample(fc.tuple(fc.constantFrom(...FAULTS), fc.integer({ min: 0, max: 9 })), {
  numRuns: (HOURS * 3_600_000) / REFRESH_MS,
  seed: 20_260_301,
});

test('the registry survives twelve hours of faults, reports each, and recovers with upstream', async () => {
  let now = Date.now();
  const limits = { deadlineMs: 60_000, maxBytes: 1_000_000 };
  const { upstream, registry } = await openServing(50, { now: () => now, refreshMs: REFRESH_MS, limits });
  const seen = new Set<string>();
  let size = 50;
  for (const [[, code, answer], state] of STEPS) {
    now += REFRESH_MS;
    const isGood = state < 4;
    if (isGood) upstream.serve(registryOf(size + 1));
    else upstream.answer = answer;
    const before = upstream.requests.length;
    await registry.refresh();
    const status = await registry.status();
    if (upstream.requests.length === before) {
      // An earlier response has sent `Retry-After`.
      expect(status.last_error?.code).toBe('rate_limited');
    } else {
      if (isGood) size++;
      else seen.add(code);
      const expected = isGood ? { last_error: null, stale: false } : { last_error: { code }, stale: true };
      expect(status).toMatchObject(expected);
      expect(Date.parse(status.checked_at ?? '')).toBe(now);
    }
    expect(status.counts.skills).toBe(size);
    expect((await registry.http.get('/api/skills').expect(200)).body).toHaveLength(size);
  }
  // Checks that the random steps include every fault.
  expect(seen).toEqual(new Set(FAULTS.map(([, code]) => code)));
}, 600_000);
