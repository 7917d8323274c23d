import { describe, expect, test } from '@jest/globals';
import type { TaskAbortError } from '../src/index.ts';
import { HEARTBEAT, POLL } from './support/fake-fleet.ts';
import { gate, untilAborted, useFleet } from './support/harness.ts';

/** Tests with the real deadlines of the worker, 5 to 15 s. */
const { fleet, work } = await useFleet();

test('renews the default lease so often that it always survives an outage of a minute', async () => {
  const ends = gate();
  fleet.heartbeatSeconds = 40;
  fleet.add('a');
  work({ handler: () => ends.promise });
  const [poll] = await fleet.untilRequested(POLL);
  const [heartbeat] = await fleet.untilRequested(HEARTBEAT);
  const sinceLease = Number(heartbeat?.atMs) - Number(poll?.atMs);
  // The outage may begin just before the next heartbeat; half a minute remains to reach the fleet afterwards.
  expect(Number(poll?.body.lease_seconds) * 1_000 - sinceLease).toBeGreaterThan(90_000);
  ends.open();
});

test('with abortOnExpiry aborts a task when its lease has expired', async () => {
  const task = fleet.add('a');
  const aborted = Promise.withResolvers<TaskAbortError>();
  const { lines } = work({
    leaseSeconds: 5,
    abortOnExpiry: true,
    handler: async ({ message }, { signal }) => {
      if (message === 'a') await untilAborted(signal).catch(aborted.resolve);
    },
  });
  const [heartbeat] = await fleet.untilRequested(HEARTBEAT);
  await fleet.down();
  expect((await aborted.promise).code).toBe('lease_lost');
  expect(performance.now() - Number(heartbeat?.atMs)).toBeGreaterThan(3_000);
  await fleet.up();
  await fleet.reportOf(fleet.add('b'));
  expect(fleet.held.find((lease) => lease.task.id === task.id)?.report).toBeUndefined();
  expect(lines.join('\n')).toContain('lease is lost');
});

test('repeats a poll that gets no response within its deadline', async () => {
  fleet.fail(POLL, 'silence');
  const { lines } = work({ waitSeconds: 0, handler: () => 1 });
  await fleet.untilRequested(POLL, 2);
  expect(lines).toContainEqual(expect.stringContaining('no response within 10 s'));
});

describe('stop', () => {
  test('ends during an outage, and logs the results that it failed to report', async () => {
    fleet.add('a');
    const worker = work({ stopTimeoutSeconds: 0, handler: (_task, { signal }) => untilAborted(signal) });
    await fleet.untilRequested(HEARTBEAT);
    await fleet.down();
    await worker.stop();
    expect(worker.lines).toContainEqual(expect.stringContaining('failed to report'));
  });
});
