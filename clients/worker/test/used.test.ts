import { expect, test } from '@jest/globals';
import { TaskError } from '../src/errors.ts';
import { HEARTBEAT, RESULT } from './support/fake-fleet.ts';
import { untilAborted, useFleet } from './support/harness.ts';

const { fleet, work } = await useFleet();

const USAGE = { input_tokens: 5, cached_input_tokens: 1, output_tokens: 2, reasoning_tokens: 0 };
const USED = { usage: USAGE, cost: { amount: 0.01, currency: 'USD', estimated: true } as const, model: null };
const SENT = { usage: USAGE, cost: USED.cost };

test('what an attempt has used goes with the next heartbeat, once, and with the report', async () => {
  const task = fleet.add('a');
  work({
    handler: async (_task, { used }) => {
      used({ ...USED, cost: null });
      used(USED);
      await fleet.untilRequested(HEARTBEAT, 2);
    },
  });
  await expect(fleet.reportOf(task)).resolves.toEqual({ status: 'completed', result: null, ...SENT });
  const bodies = fleet.all(HEARTBEAT).map(({ body: { token, ...body } }) => body);
  expect(bodies.slice(0, 2)).toEqual([SENT, {}]);
});

test('a failed and a cancelled attempt report it too', async () => {
  const [failed, cancelled] = [fleet.add('failed'), fleet.add('cancelled')];
  work({
    concurrency: 2,
    handler: async ({ message }, { used, signal }) => {
      used(USED);
      if (message === 'failed') throw new TaskError('No', { code: 'no' });
      await untilAborted(signal);
    },
  });
  await expect(fleet.reportOf(failed)).resolves.toMatchObject({ status: 'failed', ...SENT });
  fleet.cancel(cancelled);
  await expect(fleet.reportOf(cancelled)).resolves.toEqual({ status: 'cancelled', ...SENT });
});

test.each([400, 422])('a fleet that refuses it (%i) gets everything else', async (status) => {
  fleet.heartbeatSeconds = 3600;
  const tasks = [fleet.add('a'), fleet.add('b')];
  fleet.fail(RESULT, { status, body: { error: 'invalid', message: 'Unrecognized key' } });
  work({ handler: (_task, { used }) => used(USED) });
  for (const task of tasks) {
    await expect(fleet.reportOf(task)).resolves.toEqual({ status: 'completed', result: null });
  }
  // It is not tried again.
  expect(fleet.count(RESULT)).toBe(3);
});
