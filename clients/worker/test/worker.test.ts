import { setTimeout as sleep } from 'node:timers/promises';
import { inspect } from 'node:util';
import { until } from '@agent-fleet/shared/testing/until';
import { describe, expect, test } from '@jest/globals';
import { runWorker, TaskError, type WorkerOptions } from '../src/index.ts';
import { HEARTBEAT, LOG, POLL, RESULT } from './support/fake-fleet.ts';
import { gate, useFleet } from './support/harness.ts';

const { fleet, work } = await useFleet();

test('continues the trace of a task: in the context of the handler, and by a span of its own in requests', async () => {
  const traceparent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';
  const task = fleet.add('a', { traceparent });
  work({
    handler: async (_task, context) => {
      context.log('x');
      await until(() => fleet.all(HEARTBEAT).length > 0);
      return context.traceparent;
    },
  });
  await expect(fleet.reportOf(task)).resolves.toMatchObject({ result: traceparent });
  const sent = [HEARTBEAT, LOG, RESULT].map((path) => fleet.all(path)[0]?.headers.traceparent);
  expect(new Set(sent).size).toBe(1);
  expect(sent[0]).toMatch(/^00-0af7651916cd43dd8448eb211c80319c-[0-9a-f]{16}-01$/);
  expect(sent[0]).not.toBe(traceparent);
});

const CYCLE: { self?: unknown } = {};
CYCLE.self = CYCLE;
interface Failed {
  code: string;
  message: string;
  retryable: boolean;
}
class Refusal {
  readonly of = 'tea';
}
const fail = () => {
  throw new Error('no text');
};

describe('a failed handler', () => {
  test.each<[string, unknown, Failed]>([
    ...[
      ['an error', new Error('no'), 'Error: no'],
      ['an error without a message', new TypeError(), 'TypeError'],
      [
        'an error of a class that sets no name',
        new (class OutOfStock extends Error {})('3 left'),
        'OutOfStock: 3 left',
      ],
      ['an error with a name of its own', Object.assign(new Error('late'), { name: 'Late' }), 'Late: late'],
      ['no error', null, 'null'],
      ['a text', 'plain', 'plain'],
      ['an object', { status: 418, reason: { of: 'tea' } }, "Object: { status: 418, reason: { of: 'tea' } }"],
      ['an object of a class', new Refusal(), "Refusal { of: 'tea' }"],
      ['an object with a text', new URL('http://tea.example/'), 'URL: http://tea.example/'],
      ['an object without a prototype', Object.create(null), '[Object: null prototype] {}'],
      ['an object whose text fails', { toString: fail, [inspect.custom]: fail }, 'Object: no message'],
    ].map(([what, thrown, message]): [string, unknown, Failed] => [
      ...([String(what), thrown, { code: 'handler_error', message: String(message), retryable: true }] as const),
    ]),
    ['a task error', new TaskError('no', { code: 'bad' }), { code: 'bad', message: 'no', retryable: true }],
    [
      'a final task error',
      new TaskError('no', { code: 'bad', retryable: false }),
      { code: 'bad', message: 'no', retryable: false },
    ],
    [
      'texts over the limits of the fleet',
      new TaskError('é'.repeat(9000), { code: 'c'.repeat(200) }),
      { code: 'c'.repeat(128), message: 'é'.repeat(8192), retryable: true },
    ],
  ])('is reported for %s', async (_name, thrown, error) => {
    const task = fleet.add('a');
    work({ handler: () => Promise.reject(thrown) });
    await expect(fleet.reportOf(task)).resolves.toEqual({ status: 'failed', error });
  });
});

describe('a result', () => {
  const report = (code: string) => ({ status: 'failed', error: { code, retryable: false } });

  test.each<[string, unknown, object]>([
    ['over 1 MiB as JSON', '€'.repeat(400_000), report('result_too_large')],
    ['of just 1 MiB', 'a'.repeat(1024 * 1024 - 2), { status: 'completed' }],
    ['that is not JSON', CYCLE, report('invalid_result')],
    ['of undefined', undefined, { status: 'completed', result: null }],
  ])('%s is reported once', async (_what, result, expected) => {
    const task = fleet.add('a');
    work({ handler: () => result });
    await expect(fleet.reportOf(task)).resolves.toMatchObject(expected);
    expect(fleet.count(RESULT)).toBe(1);
  });

  test.each([
    [413, 'result_too_large'],
    [400, 'invalid_result'],
  ])('that the fleet refuses with %i is a final failure', async (status, code) => {
    const task = fleet.add('a');
    fleet.fail(RESULT, { status, body: { error: 'x', message: 'because' } });
    work({ handler: () => 1 });
    const reported = await fleet.reportOf(task);
    expect(reported).toMatchObject(report(code));
    expect(reported).toMatchObject({ error: { message: expect.stringContaining('because') } });
  });

  test('is dropped when the report of its failure is refused too', async () => {
    fleet.add('a');
    fleet.fail(RESULT, { status: 400, body: {} }, 2);
    const { lines } = work({ handler: () => 1 });
    await fleet.untilRequested(RESULT, 2);
    await expect(fleet.reportOf(fleet.add('b'))).resolves.toEqual({ status: 'completed', result: 1 });
    expect(lines.join('\n')).toContain('failed to report');
  });
});

describe('concurrency', () => {
  test('limits running tasks, and no poll is sent at the limit', async () => {
    const ends = gate();
    let now = 0;
    let most = 0;
    const tasks = Array.from({ length: 12 }, (_, index) => fleet.add(`${index}`));
    work({
      concurrency: 5,
      handler: async () => {
        now += 1;
        most = Math.max(most, now);
        await ends.promise;
        now -= 1;
      },
    });
    await until(() => now === 5);
    await sleep(200);
    expect(fleet.count(POLL)).toBe(1);
    ends.open();
    for (const task of tasks) await fleet.reportOf(task);
    expect(most).toBe(5);
    expect(fleet.polls.most).toBe(1);
  });

  test('limits the tasks of a poll, 20 at most', async () => {
    const ends = gate();
    for (let index = 0; index < 20; index++) fleet.add(`${index}`);
    work({ concurrency: 25, handler: () => ends.promise });
    const polls = await fleet.untilRequested(POLL, 2);
    expect(polls.map(({ body }) => body.max_tasks)).toEqual([20, 5]);
    ends.open();
  });
});

test.each<[string, Partial<WorkerOptions>, object]>([
  [
    'the configured types, worker and times',
    { types: ['claude', 'gpt'], workerId: 'me', leaseSeconds: 77, waitSeconds: 3 },
    {
      path: '/leases',
      headers: expect.objectContaining({ 'x-api-key': 'key', 'content-type': 'application/json' }),
      body: { worker_id: 'me', types: ['claude', 'gpt'], max_tasks: 1, wait_seconds: 3, lease_seconds: 77 },
    },
  ],
  [
    'defaults: a lease of two minutes, a wait of half a minute, a unique name',
    {},
    {
      body: {
        worker_id: expect.stringMatching(/^.{1,90}:\d+-[0-9a-f]{6}$/),
        max_tasks: 1,
        wait_seconds: 30,
        lease_seconds: 120,
      },
    },
  ],
  ['the agent in its path', { agentId: 'a/b' }, { path: '/agents/a%2Fb/leases' }],
])('a poll has %s', async (_what, options, expected) => {
  work({ ...options, url: `${fleet.url}/`, handler: () => 1 });
  const [poll] = await fleet.untilRequested(POLL);
  expect(poll).toEqual(expect.objectContaining(expected));
});

test('calls the token function for every request, and again after it has thrown', async () => {
  let calls = 0;
  const token = async () => {
    calls += 1;
    if (calls === 1) throw new Error('the login is down');
    return `t${calls}`;
  };
  const { lines } = work({ apiKey: undefined, token, handler: () => 1 });
  fleet.add('a');
  const [result] = await fleet.untilRequested(RESULT);
  const [poll] = fleet.all(POLL);
  expect(poll?.headers.authorization).toBe('Bearer t2');
  expect(poll?.headers).not.toHaveProperty('x-api-key');
  expect(result?.headers.authorization).toBe('Bearer t3');
  expect(lines).toContainEqual(expect.stringContaining('the login is down'));
});

describe('heartbeats', () => {
  test('are sent while the handler runs, and not after it', async () => {
    const ends = gate();
    const task = fleet.add('a');
    work({ handler: () => ends.promise });
    const beats = await fleet.untilRequested(HEARTBEAT, 3);
    expect(beats[0]?.body).toEqual({ token: fleet.held[0]?.token });
    ends.open();
    await fleet.reportOf(task);
    const count = fleet.count(HEARTBEAT);
    await sleep(500);
    // One may have been in flight.
    expect(fleet.count(HEARTBEAT)).toBeLessThanOrEqual(count + 1);
  });

  test('are sent early for progress, the latest only, within the bounds of the contract', async () => {
    fleet.heartbeatSeconds = 3600;
    const ends = gate();
    fleet.add('a');
    work({
      handler: async (_task, { progress }) => {
        progress(10, 'first');
        progress(300, 'é'.repeat(2000));
        await ends.promise;
      },
    });
    const [beat] = await fleet.untilRequested(HEARTBEAT);
    expect(beat?.body.progress).toEqual({ percent: 100, message: 'é'.repeat(1024) });
    expect(fleet.count(HEARTBEAT)).toBe(1);
    const [poll] = fleet.all(POLL);
    expect((beat?.atMs ?? 0) - (poll?.atMs ?? 0)).toBeLessThan(60_000);
    ends.open();
  });

  test('continue after a progress is refused', async () => {
    fleet.fail(HEARTBEAT, { status: 400, body: {} });
    const ends = gate();
    const task = fleet.add('a');
    work({
      handler: async (_task, { progress, signal }) => {
        progress(Number.NaN);
        await ends.promise;
        return signal.aborted;
      },
    });
    const [first, second] = await fleet.untilRequested(HEARTBEAT, 3);
    expect(first?.body.progress).toEqual({ percent: null, message: null });
    expect(second?.body).not.toHaveProperty('progress');
    ends.open();
    await expect(fleet.reportOf(task)).resolves.toMatchObject({ result: false });
  });
});

test('stops after maxTasks', async () => {
  const tasks = ['a', 'b', 'c'].map((message) => fleet.add(message));
  const worker = work({ concurrency: 5, maxTasks: 2, handler: () => 1 });
  await worker.done;
  expect(fleet.held.map(({ task, report }) => [task.id, report !== undefined])).toEqual([
    [tasks[0]?.id, true],
    [tasks[1]?.id, true],
  ]);
  await worker.stop();
});

test.each<[string, Parameters<typeof work>[0] & { url?: string }]>([
  ['url must be like', { url: 'localhost:8080', handler: () => 1 }],
  ['url must not have credentials', { url: 'http://me:secret@host', handler: () => 1 }],
  ['apiKey or token must be given', { apiKey: '', handler: () => 1 }],
  ['apiKey has characters', { apiKey: 'a\nb', handler: () => 1 }],
  ['types and agentId exclude', { types: ['a'], agentId: 'b', handler: () => 1 }],
  ['types must not be empty', { types: [], handler: () => 1 }],
  ['concurrency must be a whole number from 1', { concurrency: 0, handler: () => 1 }],
  ['leaseSeconds must be a whole number from 5 to 900', { leaseSeconds: 1.5, handler: () => 1 }],
  ['workerId must have', { workerId: 'x'.repeat(101), handler: () => 1 }],
  ['maxTasks must be a whole number of at least 1', { maxTasks: 0, handler: () => 1 }],
])('refuses wrong options at once: %s', (message, options) => {
  expect(() => runWorker({ url: fleet.url, apiKey: 'key', ...options })).toThrow(message);
});

describe('a provider that takes no calls', () => {
  const retryAt = Date.parse('2026-12-01T14:30:00Z');

  test('parks the task with its session, without the data where the fleet keeps none', async () => {
    const session = { runtime: 'x', id: '1', data: 'aaaa' };
    const task = fleet.add('a');
    fleet.fail(RESULT, { status: 422 }, 1, (body) => (body.session as { data?: string }).data !== undefined);
    work({
      handler: () => {
        throw new TaskError('Too many', { code: 'rate_limited', retryAt, session });
      },
    });
    await expect(fleet.reportOf(task)).resolves.toMatchObject({
      status: 'failed',
      error: { code: 'rate_limited', retryable: true, retry_at: '2026-12-01T14:30:00.000Z' },
      session: { runtime: 'x', id: '1' },
    });
  });

  test('is named in polls, which end with the pause', async () => {
    const until = new Date(Date.now() + 1_500).toISOString();
    const pauses = () => [{ provider: 'openai' as const, until, reason: 'rate limit' }];
    const task = fleet.add('b');
    work({ handler: () => 1, pauses, waitSeconds: 30 });
    await fleet.reportOf(task);
    const { body } = fleet.all(POLL).at(-1) as { body: Record<string, unknown> };
    expect(body).toMatchObject({ paused: pauses() });
    expect(body.wait_seconds).toBeLessThanOrEqual(2);
  });
});
