import { describe, expect, test } from '@jest/globals';
import type { Api, Lease, Task } from '../harness/api.ts';
import { expectDetail, expectError, expectInvalid, expectNoBody, expectResponse, TIMESTAMP } from './expectations.ts';
import { specifySpend } from './stats/spend.ts';
import { specifyUsage } from './tasks/usage.ts';

const MIB = 1024 * 1024;
const BROKEN = { code: 'exit_1', message: 'It broke', retryable: true };
const AT_ONCE = { strategy: 'fixed', delay_seconds: 0, jitter: 0 };

/** docs/contract.md "Leases": operations that only the holder of a lease may perform. */
export function specifyLeaseResults(api: Api): void {
  const run = async (fields = {}, lease = {}) => api.createRunning((await api.createAgent()).id, fields, lease);
  const statusOf = async ({ task }: Lease) => (await api.readAgent(task.agent_id)).status;
  const attemptsOf = ({ task }: Lease) => api.readAttempts(task);
  async function expectLost(held: { id: string; token: string }): Promise<void> {
    for (const response of [await api.heartbeat(held), await api.report(held), await api.release(held)]) {
      expectError(response, 409, 'lease_lost');
    }
  }

  describe('A heartbeat', () => {
    test('extends the lease and returns the state of the task', async () => {
      const held = await run({}, { lease_seconds: 30 });
      const response = await api.heartbeat(held);
      expectResponse(response, 200, {
        expires_at: expect.stringMatching(TIMESTAMP),
        cancel_requested: false,
        inbox: 0,
        cost_left: null,
      });
      const { expires_at } = response.json as { expires_at: string };
      expect(Date.parse(expires_at)).toBeGreaterThan(Date.parse(held.expires_at));
      expect(await api.readTask(held.task)).toEqual(held.task);
    });

    test('stores progress, and the next attempt begins without it', async () => {
      const held = await run();
      for (const progress of [{ percent: 0 }, { message: '😀'.repeat(1_024) }, { percent: 99.5, message: 'Soon' }]) {
        expect((await api.heartbeat(held, { progress })).status).toBe(200);
        expect((await api.readTask(held.task)).progress).toEqual({ percent: null, message: null, ...progress });
      }
      await api.heartbeat(held);
      expect((await api.readTask(held.task)).progress).toEqual({ percent: 99.5, message: 'Soon' });
      await api.release(held);
      expect((await api.readTask(held.task)).progress).toBeNull();
    });

    test('with bad fields is 400', async () => {
      const held = await run();
      const progress = { percent: 101, message: '', colour: 'red' };
      const names = Object.keys(progress).map((name) => `progress.${name}`);
      expectInvalid(await api.heartbeat(held, { progress, token: '', colour: 'red' }), 'token', 'colour', ...names);
      expectInvalid(await api.heartbeat(held, { progress: { percent: '5' } }), 'progress.percent');
      expectInvalid(await api.heartbeat(held, { progress: 5, token: 5 }), 'progress', 'token');
    });
  });

  test('a lone surrogate in what a worker reports becomes U+FFFD, but not in its result', async () => {
    const [half, whole] = ['\udcff…', '\ufffd…'];
    const error = { ...BROKEN, code: half, message: half };
    const held = await api.createRunning((await api.createAgent()).id, { max_attempts: 1 }, { worker_id: half });
    await api.heartbeat(held, { progress: { message: half }, model: 'm' });
    expect(await api.readTask(held.task)).toMatchObject({ worker_id: whole, progress: { message: whole } });
    const reported = await api.report(held, { status: 'failed', error });
    expect(reported.json).toMatchObject({ error: { ...error, code: whole, message: whole } });
    expectResponse(await api.report(held, { status: 'failed', error }), 200, reported.json);
    const free = await run();
    expect((await api.report(free, { result: [half] })).json).toMatchObject({ result: [half] });
    const cancelled = await api.cancel(await api.createTask(free.task.agent_id), { reason: half });
    expect(cancelled.json).toMatchObject({ error: { message: expect.stringContaining(whole) } });
  });

  describe('A result', () => {
    test('ends the task; the same result again is 200, another one is 409 and changes nothing', async () => {
      const held = await run();
      const result = { notes: ['a', { b: 1, c: null }] };
      const response = await api.report(held, { result });
      const { completed_at } = response.json as { completed_at?: string };
      const ended = { status: 'completed', result, completed_at, updated_at: completed_at };
      expectResponse(response, 200, { ...held.task, ...ended });
      expect(completed_at).toMatch(TIMESTAMP);
      for (const again of [result, { notes: ['a', { c: null, b: 1 }] }]) {
        expectResponse(await api.report(held, { result: again }), 200, response.json);
      }
      const others = [{ result: 1 }, {}, { status: 'failed' }, { status: 'cancelled' }, { result, token: 'x' }];
      for (const other of others) expectError(await api.report(held, other), 409, 'lease_lost');
      expectError(await api.heartbeat(held), 409, 'lease_lost');
      expectError(await api.release(held), 409, 'lease_lost');
      expect(await api.readTask(held.task)).toEqual(response.json);
      const attempt = { number: 1, worker_id: 'e2e', started_at: held.task.started_at, ended_at: completed_at };
      const unreported = { usage: null, cost: null, model: null };
      expect(await attemptsOf(held)).toEqual([{ ...attempt, outcome: 'completed', error: null, ...unreported }]);
      expect(await statusOf(held)).toBe('idle');
    });

    test('is any JSON of at most 1 MiB', async () => {
      for (const result of [null, false, 0, '', [], { a: { b: [] } }, 'x'.repeat(MIB - 2)]) {
        const response = await api.report(await run(), { result });
        expect([response.status, (response.json as Task).result]).toEqual([200, result]);
      }
      const held = await run();
      expectInvalid(await api.report(held, { result: 'x'.repeat(MIB - 1) }), 'result');
      expectError(await api.report(held, { result: 'x'.repeat(1.5 * MIB) }), 413, 'payload_too_large');
      expect((await api.readTask(held.task)).status).toBe('running');
    });

    test.each([
      ['status', { status: 'done' }],
      ['status', { status: undefined }],
      ['error', { error: BROKEN }],
      ['error', { status: 'failed', error: 'It broke' }],
      ['error.code, error.message', { status: 'failed', error: { code: '' } }],
      ['error.retryable, error.colour', { status: 'failed', error: { ...BROKEN, retryable: 1, colour: 'red' } }],
      ['token, colour', { token: null, colour: 'red' }],
    ])('with a bad %s is 400 and changes nothing', async (paths, fields) => {
      const held = await run();
      expectInvalid(await api.report(held, fields), ...paths.split(', '));
      expect(await api.readTask(held.task)).toEqual(held.task);
    });

    test('failed makes the task pending for its next attempt, and failed after the last one', async () => {
      const held = await run({ max_attempts: 2, retry_policy: { ...AT_ONCE, delay_seconds: 60 } });
      const back = (await api.report(held, { status: 'failed', error: BROKEN })).json as Task;
      const { updated_at } = back as { updated_at?: string };
      expect(back).toEqual({
        ...held.task,
        ...{ status: 'pending', error: BROKEN, worker_id: null, started_at: null, updated_at },
        next_attempt_at: new Date(Date.parse(String(updated_at)) + 60_000).toISOString(),
      });
      expect(await statusOf(held)).toBe('idle');
      expectNoBody(await api.requestLease(back.agent_id), 204);
      const other = await run({ max_attempts: 2, retry_policy: AT_ONCE });
      await api.report(other, { status: 'failed', error: BROKEN });
      const second = await api.lease(other.task.agent_id, { worker_id: 'another', wait_seconds: 10 });
      expect(second).toMatchObject({ attempt: 2, task: { id: other.task.id, error: BROKEN, next_attempt_at: null } });
      const end = (await api.report(second, { status: 'failed', error: { ...BROKEN, code: 'exit_2' } })).json;
      expect(end).toMatchObject({ status: 'failed', attempt: 2, error: { code: 'exit_2' }, next_attempt_at: null });
      expect(await statusOf(other)).toBe('error');
      expect(await attemptsOf(other)).toMatchObject([
        { number: 1, worker_id: 'e2e', outcome: 'failed', error: BROKEN },
        { number: 2, worker_id: 'another', outcome: 'failed', error: { code: 'exit_2' } },
      ]);
    });

    test('failed and not retryable ends the task at once; the agent is in error until its next task', async () => {
      const held = await run();
      const response = await api.report(held, { status: 'failed', error: { ...BROKEN, retryable: false } });
      expect(response.json).toMatchObject({
        status: 'failed',
        attempt: 1,
        error: { code: 'exit_1', retryable: false },
      });
      expect(await statusOf(held)).toBe('error');
      const next = await api.createRunning(held.task.agent_id);
      expect(await statusOf(held)).toBe('active');
      await api.report(next);
      expect(await statusOf(held)).toBe('idle');
    });

    test('failed without an error has a default error, and cancelled without a request cancels the task', async () => {
      const failed = (await api.report(await run({ max_attempts: 1 }), { status: 'failed' })).json as Task;
      const text = expect.stringMatching(/./);
      expect(failed.error).toEqual({ code: text, message: text, retryable: true });
      const cancelled = (await api.report(await run(), { status: 'cancelled' })).json as Task;
      expect(cancelled).toMatchObject({ status: 'cancelled', attempt: 1, error: { code: 'cancelled' } });
    });

    test('a retry may refer to an ended task', async () => {
      const held = await run();
      const { task } = held;
      await api.report(held, { status: 'failed', error: { ...BROKEN, retryable: false } });
      const retry = await api.createTask(task.agent_id, { retry_of: task.id });
      expect(retry).toMatchObject({ retry_of: task.id, attempt: 0, status: 'pending', error: null });
    });
  });

  describe('A lease', () => {
    test('that is released does not count its attempt', async () => {
      const held = await run();
      expectNoBody(await api.release(held), 204);
      const task = await api.readTask(held.task);
      expect(task).toMatchObject({ status: 'pending', attempt: 0, worker_id: null, started_at: null, error: null });
      expect([await statusOf(held), await attemptsOf(held)]).toEqual(['idle', []]);
    });

    test('that was released cannot change the task of the next worker', async () => {
      const former = await run();
      await api.release(former);
      const now = await api.lease(former.task.agent_id, { worker_id: 'another' });
      expect([now.attempt, now.task.id]).toEqual([1, former.task.id]);
      await expectLost(former);
      await expectLost({ ...now, token: former.token });
      await expectLost({ id: former.id, token: now.token });
      expect(await api.readTask(now.task)).toEqual(now.task);
      const attempt = { number: 1, worker_id: 'another', ended_at: null, outcome: 'running' };
      expect(await attemptsOf(now)).toMatchObject([attempt]);
      expect((await api.report(now)).status).toBe(200);
    });

    test('is not released without its token', async () => {
      const held = await run();
      for (const headers of [{}, { 'x-lease-token': '' }]) {
        expectInvalid(await api.call('DELETE', `/leases/${held.id}`, { headers }), 'X-Lease-Token');
      }
      expectError(await api.release({ ...held, token: 'x' }), 409, 'lease_lost');
      expect(await api.readTask(held.task)).toEqual(held.task);
    });

    test('with a number above that of its task is 404, whatever the token is', async () => {
      const held = await run();
      const id = held.id.replace(/\.1$/, '.2');
      for (const token of [held.token, '']) {
        for (const use of [api.heartbeat({ id, token }), api.report({ id, token }), api.release({ id, token })]) {
          expectDetail(await use, 404, 'Lease not found');
        }
      }
    });
  });

  describe('Usage:', () => specifyUsage(api));
  describe('Spend:', () => specifySpend(api));
}
