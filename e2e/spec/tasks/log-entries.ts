import { own } from '@agent-fleet/scripts/testing/own';
import { until } from '@agent-fleet/shared/testing/until';
import { expect, test } from '@jest/globals';
import { type Api, type Lease, pathOf, type Task } from '../../harness/api.ts';
import type { EventStream } from '../../harness/event-stream.ts';
import type { HttpResponse } from '../../harness/http-client.ts';
import {
  expectDetail,
  expectError,
  expectInvalid,
  expectNoBody,
  linksOf,
  listAll,
  TIMESTAMP,
} from '../expectations.ts';

interface LogEntry {
  id: number;
  at: string;
  level: string;
  stream: string | null;
  text: string;
}

const MAX_TEXT = 16_384;
const MAX_ENTRIES = 10_000;
const MAX_BYTES = 5 * 1024 * 1024;

/** docs/contract.md "Log entries". */
export function specifyLogEntries(api: Api): void {
  const run = async (fields = {}) => api.createRunning((await api.createAgent()).id, fields);
  const post = ({ id, token }: Pick<Lease, 'id' | 'token'>, entries: unknown): Promise<HttpResponse> =>
    api.call('POST', `/leases/${id}/log-entries`, { body: { token, entries } });
  const add = async (held: Lease, ...texts: string[]) => {
    const response = await post(
      held,
      texts.map((text) => ({ text })),
    );
    expect([response.status, response.text]).toEqual([204, '']);
  };
  const logOf = (task: Task) => `${pathOf(task)}/log-entries`;
  const list = async (task: Task, query = '') => (await api.get(logOf(task) + query)).json as LogEntry[];
  const textsOf = (entries: LogEntry[]) => entries.map(({ text }) => text);

  async function follow(task: Task, headers = {}, query = ''): Promise<EventStream> {
    const stream = await api.stream(logOf(task) + query, headers);
    own(() => stream.close());
    return stream;
  }
  const followed = ({ events }: EventStream) => events.map(({ data }) => data as unknown as LogEntry);

  test('entries are listed in order with ids from 1 and every field', async () => {
    const held = await run();
    const before = Date.now();
    expectNoBody(
      await post(held, [
        { text: 'One' },
        { at: '2026-11-21t10:31:04.5+01:00', level: 'error', stream: 'stderr', text: 'Two' },
        { at: null, stream: null, text: '' },
      ]),
      204,
    );
    const entries = await list(held.task);
    expect(entries).toEqual([
      {
        id: 1,
        at: expect.stringMatching(TIMESTAMP),
        level: 'info',
        stream: null,
        type: 'log',
        data: null,
        text: 'One',
      },
      { id: 2, at: '2026-11-21T09:31:04.500Z', level: 'error', stream: 'stderr', type: 'log', data: null, text: 'Two' },
      { id: 3, at: entries[0]?.at, level: 'info', stream: null, type: 'log', data: null, text: '' },
    ]);
    expect(Math.abs(Date.parse(entries[0]?.at ?? '') - before)).toBeLessThan(10_000);
  });

  test('every level and stream of the contract is kept', async () => {
    const held = await run();
    const given = ['debug', 'info', 'warn', 'error'].flatMap((level) =>
      ['stdout', 'stderr', 'agent', 'system'].map((stream) => ({ level, stream, text: 'x' })),
    );
    expectNoBody(await post(held, given), 204);
    expect(await list(held.task)).toMatchObject(given);
  });

  test('ids go on over requests, attempts and a cancellation that is requested', async () => {
    const first = await run({ max_attempts: 2, retry_policy: { strategy: 'fixed', delay_seconds: 0 } });
    await add(first, 'One', 'Two');
    await add(first, 'Three');
    await api.report(first, { status: 'failed' });
    const second = await api.lease(first.task.agent_id);
    expectError(await post(first, [{ text: 'Late' }]), 409, 'lease_lost');
    await add(second, 'Four');
    await api.cancel(second.task);
    await add(second, 'Five');
    const entries = await list(first.task);
    expect(entries.map(({ id, text }) => [id, text])).toEqual([
      [1, 'One'],
      [2, 'Two'],
      [3, 'Three'],
      [4, 'Four'],
      [5, 'Five'],
    ]);
  });

  test('after and limit page through the log, and Link continues', async () => {
    const held = await run();
    await add(held, ...Array.from({ length: 100 }, (_, at) => `${at + 1}`));
    await add(held, '101', '102', '103');
    expect((await list(held.task)).at(-1)?.text).toBe('100');
    expect(textsOf(await list(held.task, '?after=100'))).toEqual(['101', '102', '103']);
    expect(textsOf(await list(held.task, '?after=2&limit=2'))).toEqual(['3', '4']);
    expect(await list(held.task, '?after=9007199254740991')).toEqual([]);
    expect(textsOf(await listAll(api, `${logOf(held.task)}?limit=40`))).toEqual(
      Array.from({ length: 103 }, (_, at) => `${at + 1}`),
    );
    const badly = ['limit=0', 'limit=1001', 'after=-1', 'after=x', 'after=1.5', 'after='];
    for (const query of [...badly, 'tail=-1', 'tail=1001', 'tail=all', 'tail=']) {
      expectInvalid(await api.get(`${logOf(held.task)}?${query}`), query.slice(0, query.indexOf('=')));
    }
  });

  test('tail begins with the last entries, and after replaces it', async () => {
    const held = await run();
    expect(await list(held.task, '?tail=10')).toEqual([]);
    await add(held, ...Array.from({ length: 40 }, (_, at) => `${at + 1}`));
    expect(textsOf(await list(held.task, '?tail=3'))).toEqual(['38', '39', '40']);
    expect(await list(held.task, '?tail=0')).toEqual([]);
    expect(await list(held.task, '?tail=1000')).toHaveLength(40);
    expect(textsOf(await list(held.task, '?tail=2&after=37'))).toEqual(['38', '39', '40']);
    const page = await api.get(`${logOf(held.task)}?tail=5&limit=3`);
    expect(textsOf(page.json as LogEntry[])).toEqual(['36', '37', '38']);
    const next = await api.get(String(linksOf(page).next));
    expect(textsOf(next.json as LogEntry[])).toEqual(['39', '40']);
    expect(linksOf(next).next).toBeUndefined();
    expect(linksOf(page).next).toBe(`${logOf(held.task)}?tail=5&limit=3&after=38`);
  });

  test('a page has about 1 MiB of text at most, and Link continues', async () => {
    const held = await run();
    for (let times = 0; times < 3; times++) await add(held, ...Array(50).fill('é'.repeat(MAX_TEXT / 2)));
    const page = await api.get(`${logOf(held.task)}?limit=1000`);
    const { length } = page.json as LogEntry[];
    expect(length).toBeGreaterThanOrEqual(64);
    expect(length).toBeLessThan(100);
    const rest = (await api.get(String(linksOf(page).next))).json as LogEntry[];
    expect(rest[0]?.id).toBe(length + 1);
    expect(rest.at(-1)?.id).toBe(150);
  });

  test.each([
    [['entries'], { entries: undefined }],
    [['entries'], { entries: [] }],
    [['entries'], { entries: Array(101).fill({ text: 'x' }) }],
    [['entries'], { entries: 'x' }],
    [['entries.0'], { entries: ['x'] }],
    [['entries.0.text', 'entries.1.text'], { entries: [{}, { text: 5 }] }],
    [['entries.1.text'], { entries: [{ text: 'x' }, { text: 'x'.repeat(MAX_TEXT + 1) }] }],
    [['entries.0.text'], { entries: [{ text: '😀'.repeat(MAX_TEXT / 4).concat('x') }] }],
    [['entries.0.level', 'entries.0.stream'], { entries: [{ text: '', level: 'fatal', stream: '' }] }],
    [['entries.0.at'], { entries: [{ text: '', at: 'now' }] }],
    [['entries.0.at'], { entries: [{ text: '', at: '-000001-01-01T00:00:00Z' }] }],
    [['entries.0.id', 'colour'], { entries: [{ text: '', id: 1 }], colour: 'red' }],
    [['token'], { token: undefined }],
    [['token'], { token: '' }],
    [[''], []],
  ])('a bad body is 400 and names %j; nothing is added', async (paths, change) => {
    const held = await run();
    const body = Array.isArray(change) ? change : { token: held.token, entries: [{ text: 'x' }], ...change };
    expectInvalid(await api.call('POST', `/leases/${held.id}/log-entries`, { body }), ...paths);
    expect(await list(held.task)).toEqual([]);
  });

  test('texts come back as they were, whatever characters they have', async () => {
    const held = await run();
    const texts = [
      '😀'.repeat(MAX_TEXT / 4),
      '\0'.repeat(MAX_TEXT),
      '\u0001\u001b[31mred\u001b[0m\u007f\u0085\u2028\u2029\ufeff\u202e',
      'one\r\n\r\nid: 9\nevent: task.completed\ndata: {}\n\n',
      '</script><!-- "quoted" \\u0000 \\ud800',
      '{"b":1}',
      ' ',
    ];
    const stream = await follow(held.task);
    await add(held, ...texts);
    await add(held, '\ud800 a lone surrogate \udfff');
    const expected = [...texts, '\ufffd a lone surrogate \ufffd'];
    expect(textsOf(await list(held.task))).toEqual(expected);
    await stream.take(expected.length);
    expect(textsOf(followed(stream))).toEqual(expected);
  });

  test('a lease that is not held is 409, and one that never was is 404', async () => {
    const held = await run();
    const entries = [{ text: 'x' }];
    for (const token of ['wrong', `${held.token}x`, held.token.slice(1), '\ud800', '\0', `${held.token}\0`]) {
      expectError(await post({ ...held, token }, entries), 409, 'lease_lost');
    }
    const [agent, task] = held.id.split('.');
    const other = (await api.createAgent()).id;
    const missing = [
      'missing',
      `${agent}.${task}.2`,
      `${agent}.${other}.1`,
      `${other}.${task}.1`,
      `${agent}.${task}.0`,
    ];
    for (const id of missing) expectDetail(await post({ ...held, id }, entries), 404, 'Lease not found');
    await api.report(held);
    expectError(await post(held, entries), 409, 'lease_lost');
    expect(await list(held.task)).toEqual([]);
    await api.call('DELETE', pathOf(held.task));
    expectDetail(await post(held, entries), 404, 'Lease not found');
  });

  test('a released or expired lease is 409, also for a worker and a reason with strange names', async () => {
    const { id } = await api.createAgent();
    const worker_id = '\ud800\\ud800"token":"x"';
    const released = await api.createRunning(id, {}, { worker_id });
    await api.cancel(released.task, { reason: '\udfff \\udfff "lease":null' });
    await add(released, 'One');
    await api.release(released);
    expectError(await post(released, [{ text: 'x' }]), 409, 'lease_lost');
    const expiring = await api.createRunning(id, {}, { lease_seconds: 5 });
    await until(async () => (await post(expiring, [{ text: 'x' }])).status === 409, { timeoutMs: 30_000 });
    expect(await list(released.task)).toMatchObject([{ text: 'One' }]);
  });

  test('a task keeps 10,000 entries, and the first one says how many were dropped', async () => {
    const held = await run();
    const batch = (from: number) => Array.from({ length: 100 }, (_, at) => ({ text: String(from + at) }));
    for (let from = 1; from <= MAX_ENTRIES; from += 100) expect((await post(held, batch(from))).status).toBe(204);
    expect((await list(held.task, '?limit=1'))[0]?.text).toBe('1');
    await add(held, 'x', 'y', 'z');
    const [first, second] = await list(held.task, '?limit=2');
    expect(first).toMatchObject({ id: 3, level: 'warn', stream: 'system', text: '3 earlier entries were dropped' });
    expect(second).toMatchObject({ id: 4, text: '4' });
    expect(textsOf(await list(held.task, '?after=2&limit=1'))).toEqual([first?.text]);
    expect(textsOf(await list(held.task, '?after=3&limit=1'))).toEqual(['4']);
    expect(textsOf(await list(held.task, '?after=9999'))).toEqual(['10000', 'x', 'y', 'z']);
    expect(textsOf(await list(held.task, '?tail=4'))).toEqual(['10000', 'x', 'y', 'z']);
    const stream = await follow(held.task, {}, '?after=1');
    await stream.take(MAX_ENTRIES + 1);
    const seen = followed(stream);
    expect(seen.map(({ id }) => id)).toEqual(Array.from({ length: MAX_ENTRIES + 1 }, (_, at) => at + 3));
    expect(seen[0]).toEqual(first);
  });

  test('a task keeps 5 MiB of text', async () => {
    const held = await run();
    await add(held, ...Array(100).fill('x'));
    const most = MAX_BYTES / MAX_TEXT;
    for (let left = most; left > 0; left -= 80) await add(held, ...Array(80).fill('x'.repeat(MAX_TEXT)));
    expect((await list(held.task, '?limit=1'))[0]).toMatchObject({ id: 100 });
    await add(held, '');
    expect((await list(held.task, '?limit=1'))[0]).toMatchObject({ id: 100 });
    await add(held, 'x');
    const [first] = await list(held.task, '?limit=1');
    expect(first).toMatchObject({ id: 101, text: '101 earlier entries were dropped' });
    expect(textsOf(await list(held.task, `?after=${100 + most}`))).toEqual(['', 'x']);
    expect(await list(held.task, '?tail=1000&limit=1')).toEqual([first]);
  });

  test('a log stays with its ended task and goes with it', async () => {
    const held = await run();
    await add(held, 'One');
    await api.report(held);
    expect(textsOf(await list(held.task))).toEqual(['One']);
    await api.call('DELETE', pathOf(held.task));
    expectDetail(await api.get(logOf(held.task)), 404, 'Task not found');
  });

  test('a stream begins with the past, goes on live and closes after the task ends', async () => {
    const held = await run();
    await add(held, 'One', 'Two');
    const stream = await follow(held.task);
    expect(stream.headers.get('content-type')).toMatch(/^text\/event-stream/);
    await stream.take(2);
    await add(held, 'Three');
    await stream.take(3);
    expect(stream.ended).toBe(false);
    const [resumed, after] = [
      await follow(held.task, { 'last-event-id': '1' }),
      await follow(held.task, {}, '?after=2'),
    ];
    await add(held, 'Four');
    await api.report(held);
    const past = await follow(held.task);
    for (const one of [stream, resumed, after, past]) await one.untilEnded();
    const expected = await list(held.task);
    expect(textsOf(expected)).toEqual(['One', 'Two', 'Three', 'Four']);
    expect([stream, resumed, after, past].map(followed)).toEqual([
      expected,
      expected.slice(1),
      expected.slice(2),
      expected,
    ]);
    expect(stream.events.map(({ id, event }) => [id, event])).toEqual(['1', '2', '3', '4'].map((id) => [id, 'log']));
    expect((await follow(held.task, { 'last-event-id': '4' })).status).toBe(204);
  });

  test('a stream with tail begins with the last entries, unless it is resumed', async () => {
    const held = await run();
    await add(held, 'One', 'Two', 'Three');
    const streams = [
      await follow(held.task, {}, '?tail=2'),
      await follow(held.task, {}, '?tail=0'),
      await follow(held.task, { 'last-event-id': '2' }, '?tail=3'),
    ];
    await add(held, 'Four');
    await api.report(held);
    for (const stream of streams) await stream.untilEnded();
    expect(streams.map((stream) => textsOf(followed(stream)))).toEqual([
      ['Two', 'Three', 'Four'],
      ['Four'],
      ['Three', 'Four'],
    ]);
    const ended = await follow(held.task, {}, '?tail=1');
    await ended.untilEnded();
    expect(textsOf(followed(ended))).toEqual(['Four']);
    expect((await follow(held.task, {}, '?tail=0')).status).toBe(204);
  });

  test('a stream that is resumed after an entry that was lost goes on with the next one', async () => {
    const held = await run();
    await add(held, 'One');
    const stream = await follow(held.task, { 'last-event-id': '40' });
    await add(held, 'Two');
    await stream.take(1);
    expect(textsOf(followed(stream)).at(-1)).toBe('Two');
  });

  test('a stream stays open over attempts, and closes when the task is cancelled or deleted, or its agent', async () => {
    const held = await run({ max_attempts: 2, retry_policy: { strategy: 'fixed', delay_seconds: 0 } });
    const stream = await follow(held.task);
    await add(held, 'One');
    await api.report(held, { status: 'failed' });
    const second = await api.lease(held.task.agent_id);
    await add(second, 'Two');
    await stream.take(2);
    expect(stream.ended).toBe(false);
    await api.release(second);
    await api.cancel(held.task);
    await stream.untilEnded();
    for (const path of [(task: Task) => pathOf(task), ({ agent_id }: Task) => `/agents/${agent_id}`]) {
      const { task } = await run();
      const open = await follow(task);
      await api.call('DELETE', path(task));
      await open.untilEnded();
    }
  });
}
