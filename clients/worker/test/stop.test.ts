import { until } from '@agent-fleet/shared/testing/until';
import { describe, expect, test } from '@jest/globals';
import { HEARTBEAT, POLL, RESULT } from './support/fake-fleet.ts';
import { gate, untilAborted, useFleet } from './support/harness.ts';

const { fleet, work } = await useFleet();

describe('a lost lease', () => {
  test.each([409, 404] as const)('(%i) aborts the handler and reports nothing', async (status) => {
    const lost = fleet.add('lost');
    const reasons: unknown[] = [];
    work({
      handler: async ({ message }, { signal }) => {
        if (message === 'lost') await untilAborted(signal).catch((reason) => reasons.push(reason));
        return message;
      },
    });
    await fleet.untilRequested(HEARTBEAT);
    fleet.revoke(lost, status);
    await expect(fleet.reportOf(fleet.add('next'))).resolves.toMatchObject({ result: 'next' });
    expect(reasons).toMatchObject([{ code: 'lease_lost' }]);
    expect(fleet.all(/result$|^DELETE/)).toHaveLength(1);
  });

  test('is logged when it is noticed by the report', async () => {
    fleet.heartbeatSeconds = 3600;
    const lost = fleet.add('lost');
    const { lines } = work({
      handler: ({ message }) => {
        if (message === 'lost') fleet.revoke(lost);
      },
    });
    await fleet.untilRequested(RESULT);
    await expect(fleet.reportOf(fleet.add('next'))).resolves.toMatchObject({ status: 'completed' });
    expect(lines).toContainEqual(expect.stringContaining('the lease was lost before the report'));
  });
});

describe('stop', () => {
  test('takes no new task and lets running tasks finish', async () => {
    const ends = gate();
    const task = fleet.add('a');
    const worker = work({ concurrency: 2, stopTimeoutSeconds: 60, handler: () => ends.promise.then(() => 'done') });
    await fleet.untilRequested(POLL, 2);
    const stopped = worker.stop();
    await until(() => fleet.polls.now === 0);
    fleet.add('b');
    await fleet.untilRequested(HEARTBEAT, fleet.count(HEARTBEAT) + 2);
    expect(fleet.held).toHaveLength(1);
    ends.open();
    await stopped;
    await worker.done;
    await expect(fleet.reportOf(task)).resolves.toMatchObject({ result: 'done' });
    expect(fleet.held).toHaveLength(1);
  });

  test('does not wait for a poll, and may be called twice and after the end', async () => {
    const worker = work({ handler: () => 1 });
    await fleet.untilRequested(POLL);
    const began = performance.now();
    await Promise.all([worker.stop(), worker.stop()]);
    await worker.stop();
    // A poll is held for 30 s.
    expect(performance.now() - began).toBeLessThan(20_000);
  });

  test('works during an outage of the fleet', async () => {
    await fleet.down();
    const worker = work({ handler: () => 1 });
    await until(() => worker.lines.length > 0);
    await worker.stop();
    await expect(worker.done).resolves.toBeUndefined();
  });

  test('aborts handlers that do not finish in time, and releases their tasks', async () => {
    const task = fleet.add('a');
    const reasons: unknown[] = [];
    const worker = work({
      stopTimeoutSeconds: 1,
      handler: (_task, { signal }) => {
        signal.addEventListener('abort', () => reasons.push(signal.reason));
        return untilAborted(signal);
      },
    });
    await fleet.untilRequested(HEARTBEAT);
    await worker.stop();
    await fleet.untilReleased(task);
    expect(reasons).toMatchObject([{ code: 'worker_stopped', name: 'AbortError' }]);
    expect(fleet.count(RESULT)).toBe(0);
  });

  test('releases tasks that arrive just as it begins', async () => {
    const [first, second] = [fleet.add('a'), fleet.add('b')];
    const ran: string[] = [];
    const worker = work({
      concurrency: 2,
      handler: (task) => {
        ran.push(task.message);
        void worker.stop();
      },
    });
    await expect(fleet.reportOf(first)).resolves.toMatchObject({ status: 'completed' });
    await fleet.untilReleased(second);
    await worker.done;
    expect(ran).toEqual(['a']);
  });
});
