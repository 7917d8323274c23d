import { until } from '@agent-fleet/shared/testing/until';
import { describe, expect, test } from '@jest/globals';
import { TaskAbortError } from '../src/index.ts';
import { gate, untilAborted, useFleet } from './support/harness.ts';

const POLL = /^POST .*\/leases$/;
const BEAT = /heartbeat$/;
const context = useFleet();

describe('a task that is cancelled', () => {
  test('aborts its handler and is reported as cancelled, whatever it throws', async () => {
    const { fleet, work } = context;
    const task = fleet.add('a');
    let reason: unknown;
    work({
      handler: async (_task, { signal }) => {
        await untilAborted(signal).catch((thrown) => {
          reason = thrown;
        });
        throw new Error('half done');
      },
    });
    fleet.cancel(task);
    await expect(fleet.reportOf(task)).resolves.toEqual({ status: 'cancelled' });
    expect(reason).toBeInstanceOf(TaskAbortError);
    expect(reason).toMatchObject({ code: 'cancelled', name: 'AbortError' });
  });

  test('is completed if the handler finishes it all the same', async () => {
    const { fleet, work } = context;
    const task = fleet.add('a');
    work({ handler: (_task, { signal }) => untilAborted(signal).catch(() => 'done') });
    fleet.cancel(task);
    await expect(fleet.reportOf(task)).resolves.toEqual({ status: 'completed', result: 'done' });
  });
});

describe('a lease that is lost', () => {
  test.each([409, 404] as const)(
    'by %i: the handler is aborted, nothing is reported, the next task comes',
    async (status) => {
      const { fleet, work } = context;
      const lost = fleet.add('lost');
      const reasons: unknown[] = [];
      work({
        handler: async ({ message }, { signal }) => {
          if (message === 'lost') await untilAborted(signal).catch((reason) => reasons.push(reason));
          return message;
        },
      });
      await fleet.untilAsked(BEAT);
      fleet.takeLease(lost, status);
      await expect(fleet.reportOf(fleet.add('next'))).resolves.toMatchObject({ result: 'next' });
      expect(reasons).toMatchObject([{ code: 'lease_lost' }]);
      expect(fleet.all(/result$|^DELETE/)).toHaveLength(1);
    },
  );

  test('before the result came: it is said, and the next task comes', async () => {
    const { fleet, work } = context;
    fleet.heartbeatSeconds = 3600;
    const lost = fleet.add('lost');
    const { lines } = work({
      handler: ({ message }) => {
        if (message === 'lost') fleet.takeLease(lost);
      },
    });
    await fleet.untilAsked(/result$/);
    await expect(fleet.reportOf(fleet.add('next'))).resolves.toMatchObject({ status: 'completed' });
    expect(lines).toContainEqual(expect.stringContaining('its lease was lost before the fleet heard of it'));
  });
});

describe('stop', () => {
  test('takes no new task and lets those that run finish', async () => {
    const { fleet, work } = context;
    const ends = gate();
    const task = fleet.add('a');
    const worker = work({ concurrency: 2, stopTimeoutSeconds: 60, handler: () => ends.promise.then(() => 'done') });
    await fleet.untilAsked(POLL, 2);
    const stopped = worker.stop();
    await until(() => fleet.polls.now === 0, { message: 'it still polls' });
    fleet.add('b');
    await fleet.untilAsked(BEAT, fleet.count(BEAT) + 2);
    expect(fleet.held).toHaveLength(1);
    ends.open();
    await stopped;
    await worker.done;
    await expect(fleet.reportOf(task)).resolves.toMatchObject({ result: 'done' });
    expect(fleet.held).toHaveLength(1);
  });

  test('of a worker without tasks does not wait for its poll', async () => {
    const worker = context.work({ handler: () => 1 });
    await context.fleet.untilAsked(POLL);
    const began = performance.now();
    await worker.stop();
    // A poll is held for 30 s.
    expect(performance.now() - began).toBeLessThan(20_000);
  });

  test('works while the fleet is away', async () => {
    await context.fleet.goAway();
    const worker = context.work({ handler: () => 1 });
    await until(() => worker.lines.length > 0, { message: 'it did not notice' });
    await worker.stop();
    await worker.done;
  });

  test('aborts what does not finish in time, and gives it back', async () => {
    const { fleet, work } = context;
    const task = fleet.add('a');
    const reasons: unknown[] = [];
    const worker = work({
      stopTimeoutSeconds: 1,
      handler: (_task, { signal }) => {
        signal.addEventListener('abort', () => reasons.push(signal.reason));
        return untilAborted(signal);
      },
    });
    await fleet.untilAsked(BEAT);
    await worker.stop();
    await fleet.untilReleased(task);
    expect(reasons).toMatchObject([{ code: 'worker_stopped' }]);
    expect(fleet.count(/result$/)).toBe(0);
  });

  test('gives back what a handler does not let go of', async () => {
    const { fleet, work } = context;
    const task = fleet.add('a');
    const never = gate();
    const worker = work({ stopTimeoutSeconds: 0, handler: () => never.promise });
    await fleet.untilAsked(BEAT);
    await worker.stop();
    await fleet.untilReleased(task);
  });

  test('ends although the fleet stays away, and says what it could not tell', async () => {
    const { fleet, work } = context;
    fleet.add('a');
    const worker = work({ stopTimeoutSeconds: 0, handler: (_task, { signal }) => untilAborted(signal) });
    await fleet.untilAsked(BEAT);
    await fleet.goAway();
    await worker.stop();
    expect(worker.lines).toContainEqual(expect.stringContaining('could not be told'));
  });

  test('gives back tasks that come in the moment in which it begins', async () => {
    const { fleet, work } = context;
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

  test('is safe to ask for twice, and after the end', async () => {
    const worker = context.work({ handler: () => 1 });
    await Promise.all([worker.stop(), worker.stop()]);
    await worker.stop();
  });
});
