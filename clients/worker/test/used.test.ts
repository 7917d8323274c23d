import { expect, test } from '@jest/globals';
import { TaskError } from '../src/errors.ts';
import { HEARTBEAT, RESULT } from './support/fake-fleet.ts';
import { gate, untilAborted, useFleet } from './support/harness.ts';

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

test('an attempt that a stop of the worker ends reports it before its release', async () => {
  fleet.heartbeatSeconds = 3600;
  fleet.add('a');
  const begun = gate();
  const worker = work({
    stopTimeoutSeconds: 0,
    handler: (_task, { used, signal }) => {
      begun.open();
      return untilAborted(signal).finally(() => used(USED));
    },
  });
  await begun.promise;
  await worker.stop();
  const [beat, release] = fleet.all(/heartbeat$|^DELETE/);
  expect(beat?.body).toMatchObject(SENT);
  expect(release).toMatchObject({ method: 'DELETE' });
});

test.each([400, 422])('an attempt whose usage the fleet refuses (%i) reports everything else', async (status) => {
  const [refused, next] = [fleet.add('refused'), fleet.add('next')];
  const refusal = { status, body: { error: 'invalid', message: 'Unrecognized key' } };
  fleet.fail(HEARTBEAT, refusal);
  fleet.fail(RESULT, refusal);
  const { lines } = work({
    handler: async ({ message }, { used }) => {
      used(USED);
      if (message === 'refused') await fleet.untilRequested(HEARTBEAT, 2);
    },
  });
  await expect(fleet.reportOf(refused)).resolves.toEqual({ status: 'completed', result: null });
  await expect(fleet.reportOf(next)).resolves.toMatchObject(SENT);
  for (const what of ['usage was refused', 'a report with usage was refused']) {
    expect(lines).toContainEqual(expect.stringContaining(`${what}: ${status}: Unrecognized key`));
  }
});

/** What the fleet has taken of an attempt whose usage it refuses when it has fewer than 0 tokens. */
function takeAllButNegativeTokens() {
  const isBad = ({ usage }: Record<string, unknown>) => Number((usage as typeof USAGE | undefined)?.input_tokens) < 0;
  fleet.refuse(/heartbeat$|result$/, isBad);
  return () => {
    const bodies = fleet.all(/heartbeat$|result$/).map(({ body }) => body);
    return Object.assign({}, ...bodies.filter((body) => !isBad(body)));
  };
}
const BAD = { usage: { ...USAGE, input_tokens: -7 }, cost: null, model: 'a-model' };

test('usage that is refused takes with it neither what was reported before nor what goes with it', async () => {
  fleet.heartbeatSeconds = 0.4;
  const taken = takeAllButNegativeTokens();
  const task = fleet.add('a');
  const { lines } = work({
    handler: async (_task, { used, progress }) => {
      used(USED);
      used(BAD);
      used(BAD);
      progress(40, 'half');
      await fleet.untilRequested(HEARTBEAT, 8);
    },
  });
  await fleet.reportOf(task);
  expect(taken()).toMatchObject({ ...SENT, model: 'a-model', progress: { percent: 40, message: 'half' } });
  expect(lines.filter((line) => line.includes('1): usage was refused: 400: no'))).toHaveLength(2);
  expect(fleet.logOf(task).map(({ level, text }) => `${level} ${text}`)).toContain('warn usage was refused: 400: no');
});

test.each(['completed', 'released'])('so it is when the attempt is %s before its first heartbeat', async (end) => {
  fleet.heartbeatSeconds = 3600;
  const taken = takeAllButNegativeTokens();
  const task = fleet.add('a');
  const begun = gate();
  const worker = work({
    stopTimeoutSeconds: 0,
    handler: async (_task, { used, signal }) => {
      used(USED);
      used(BAD);
      begun.open();
      if (end === 'released') await untilAborted(signal);
    },
  });
  await begun.promise;
  if (end === 'released') await worker.stop();
  await (end === 'released' ? fleet.untilReleased(task) : fleet.reportOf(task));
  expect(taken()).toMatchObject({ ...SENT, model: 'a-model' });
});
