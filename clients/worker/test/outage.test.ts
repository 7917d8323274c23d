import { setTimeout as sleep } from 'node:timers/promises';
import { until } from '@agent-fleet/shared/testing/until';
import { describe, expect, test } from '@jest/globals';
import type { TaskAbortError } from '../src/index.ts';
import { gate, untilAborted, useFleet } from './support/harness.ts';
import type { Asked } from './support/test-fleet.ts';

const POLL = /^POST .*\/leases$/;
const BEAT = /heartbeat$/;
const RESULT = /result$/;
const context = useFleet();

describe('while the fleet is away', () => {
  test('a worker asks until it is back, and says so once', async () => {
    const { fleet, work } = context;
    await fleet.goAway();
    const { lines } = work({ handler: () => 1 });
    await until(() => lines.some((line) => line.includes('is away')), { message: 'it did not notice' });
    await sleep(2_000);
    await fleet.comeBack();
    await expect(fleet.reportOf(fleet.add('a'))).resolves.toMatchObject({ status: 'completed' });
    expect(lines.filter((line) => line.includes('is away'))).toEqual([expect.stringContaining('ECONNREFUSED')]);
    expect(lines.filter((line) => line.includes('is back after'))).toHaveLength(1);
  });

  test('a task that runs goes on, and its result is delivered when the fleet is back', async () => {
    const { fleet, work } = context;
    const ends = gate();
    const task = fleet.add('a');
    work({
      handler: async (_task, { signal }) => {
        await ends.promise;
        return { aborted: signal.aborted };
      },
    });
    await fleet.untilAsked(BEAT, 2);
    await fleet.goAway();
    await sleep(1_500);
    ends.open();
    await sleep(500);
    await fleet.comeBack();
    await expect(fleet.reportOf(task)).resolves.toEqual({ status: 'completed', result: { aborted: false } });
    await expect(fleet.reportOf(fleet.add('b'))).resolves.toMatchObject({ status: 'completed' });
  });

  test('heartbeats go on, so that the lease is kept when it is back', async () => {
    const { fleet, work } = context;
    const ends = gate();
    fleet.add('a');
    work({ handler: () => ends.promise });
    await fleet.untilAsked(BEAT);
    await fleet.goAway();
    await sleep(1_000);
    await fleet.comeBack();
    await fleet.untilAsked(BEAT, fleet.count(BEAT) + 2);
    ends.open();
  });

  test('the usual lease is kept so often that at any time it outlives an outage of a minute', async () => {
    const { fleet, work } = context;
    const ends = gate();
    fleet.heartbeatSeconds = 40;
    fleet.add('a');
    work({ handler: () => ends.promise });
    const [poll] = await fleet.untilAsked(POLL);
    const [beat] = await fleet.untilAsked(BEAT);
    const sinceLease = (beat as Asked).atMs - (poll as Asked).atMs;
    // The next beat is as far away when the fleet goes; half a minute remains for it to come back and hear of it.
    expect(Number(poll?.body.lease_seconds) * 1_000 - sinceLease).toBeGreaterThan(90_000);
    ends.open();
  });

  test('what was not told of the progress is told later', async () => {
    const { fleet, work } = context;
    const ends = gate();
    fleet.fail(BEAT, 'cut');
    fleet.add('a');
    work({
      handler: async (_task, { progress }) => {
        progress(50, 'half');
        await ends.promise;
      },
    });
    const beats = await fleet.untilAsked(BEAT, 3);
    expect(beats.map(({ body }) => body.progress)).toEqual([
      { percent: 50, message: 'half' },
      { percent: 50, message: 'half' },
      undefined,
    ]);
    ends.open();
  });

  test('with abortOnExpiry a task is given up when the time of its lease has passed', async () => {
    const { fleet, work } = context;
    const task = fleet.add('a');
    let aborted: TaskAbortError | undefined;
    const { lines } = work({
      leaseSeconds: 5,
      abortOnExpiry: true,
      handler: async ({ message }, { signal }) => {
        if (message === 'b') return;
        await untilAborted(signal).catch((reason) => {
          aborted = reason;
        });
      },
    });
    const [beat] = await fleet.untilAsked(BEAT);
    await fleet.goAway();
    await until(() => aborted !== undefined, { message: 'it goes on' });
    expect(performance.now() - (beat?.atMs ?? 0)).toBeGreaterThan(3_000);
    expect(aborted?.code).toBe('lease_lost');
    await fleet.comeBack();
    await fleet.reportOf(fleet.add('b'));
    expect(fleet.held.find((lease) => lease.task.id === task.id)?.report).toBeUndefined();
    expect(lines.join('\n')).toContain('lease is lost');
  });
});

describe('an answer that does not come', () => {
  test('of a result: the same report is sent again', async () => {
    const { fleet, work } = context;
    fleet.fail(RESULT, 'cut');
    const task = fleet.add('a');
    let returned = 0;
    const worker = work({ maxTasks: 1, handler: () => ++returned });
    await worker.done;
    await expect(fleet.reportOf(task)).resolves.toEqual({ status: 'completed', result: 1 });
    const [first, second] = fleet.all(RESULT);
    expect(second?.body).toEqual(first?.body);
  });

  test('of a poll: another one is sent after its deadline', async () => {
    const { fleet, work } = context;
    fleet.fail(POLL, 'silence');
    const { lines } = work({ waitSeconds: 0, handler: () => 1 });
    await fleet.untilAsked(POLL, 2);
    expect(lines).toContainEqual(expect.stringContaining('no answer within 10 s'));
  });
});

describe('a busy fleet', () => {
  test.each([429, 500, 502, 503, 504])('that answers %i is asked again', async (status) => {
    const { fleet, work } = context;
    fleet.fail(POLL, { status, body: { error: 'x', message: 'later' } });
    const { lines } = work({ handler: () => 1 });
    await expect(fleet.reportOf(fleet.add('a'))).resolves.toMatchObject({ status: 'completed' });
    expect(lines).toContainEqual(expect.stringContaining(`${status}: later`));
  });

  test('is given the time that it asks for', async () => {
    const { fleet, work } = context;
    fleet.fail(POLL, { status: 503, headers: { 'retry-after': '2' } });
    work({ handler: () => 1 });
    const [first, second] = await fleet.untilAsked(POLL, 2);
    expect((second?.atMs ?? 0) - (first?.atMs ?? 0)).toBeGreaterThan(1_950);
  });

  test('that has nothing, at once, is not asked in a loop', async () => {
    const { fleet, work } = context;
    work({ waitSeconds: 0, handler: () => 1 });
    const [first, , third] = await fleet.untilAsked(POLL, 3);
    expect((third?.atMs ?? 0) - (first?.atMs ?? 0)).toBeGreaterThan(500);
  });

  test('something that answers in the place of the fleet is no fleet', async () => {
    const { fleet, work } = context;
    fleet.fail(POLL, { status: 200, body: 'hello' });
    fleet.fail(POLL, { status: 200, body: { leases: [{ id: 'l1', token: 't', task: null }] } });
    const { lines } = work({ handler: () => 1 });
    await expect(fleet.reportOf(fleet.add('a'))).resolves.toMatchObject({ status: 'completed' });
    expect(lines).toContainEqual(expect.stringContaining('not JSON'));
    expect(fleet.count(POLL)).toBeGreaterThan(2);
  });
});

describe('what waiting does not mend ends the worker', () => {
  test.each<[string, number, unknown, { agentId?: string }]>([
    ['Credentials refused by the fleet at', 401, { detail: 'Could not validate credentials' }, {}],
    ['(403: Invalid API key)', 403, { detail: 'Invalid API key' }, {}],
    ['Agent a1 not found', 404, { detail: 'Agent not found' }, { agentId: 'a1' }],
    ['(404: Not found)', 404, { error: 'not_found', message: 'Not found' }, {}],
    [
      'types must be one of a, b',
      400,
      { details: { fields: [{ path: 'types', message: 'must be one of a, b' }] } },
      {},
    ],
    ['it answers 308 to https://other', 308, undefined, {}],
  ])('%s', async (message, status, body, options) => {
    context.fleet.fail(POLL, { status, body, headers: { location: 'https://other' } });
    const worker = context.work({ ...options, handler: () => 1 });
    await expect(worker.done).rejects.toThrow(message);
    await worker.stop();
    expect(context.fleet.count(POLL)).toBe(1);
  });

  test('but what runs may finish', async () => {
    const { fleet, work } = context;
    const ends = gate();
    const task = fleet.add('a');
    const worker = work({ concurrency: 3, handler: () => ends.promise });
    await fleet.untilAsked(BEAT);
    fleet.fail(POLL, { status: 403, body: {} }, Number.POSITIVE_INFINITY);
    fleet.add('b');
    await until(() => worker.lines.some((line) => line.includes('stopping')), {
      message: () => worker.lines.join('\n'),
    });
    ends.open();
    await expect(fleet.reportOf(task)).resolves.toMatchObject({ status: 'completed' });
    await expect(worker.done).rejects.toThrow('403');
  });

  test('a result waits for credentials that are mended', async () => {
    const { fleet, work } = context;
    fleet.fail(RESULT, { status: 401, body: {} }, 2);
    const task = fleet.add('a');
    work({ handler: () => 1 });
    await expect(fleet.reportOf(task)).resolves.toMatchObject({ status: 'completed' });
  });

  test('a token that cannot be had is asked for again', async () => {
    const { fleet, work } = context;
    let asked = 0;
    const token = () => {
      asked += 1;
      if (asked === 1) throw new Error('the login is down');
      return 'good';
    };
    const { lines } = work({ apiKey: undefined, token, handler: () => 1 });
    const [poll] = await fleet.untilAsked(POLL);
    expect(poll?.headers.authorization).toBe('Bearer good');
    expect(lines).toContainEqual(expect.stringContaining('the login is down'));
  });
});
